-- Up to version 3, an answer was the engine's last exact score, even where its last bound contradicts it. Such answers stay, under
-- a separate engine that no question asks for: (answers) among its options says so. Searches by depth end with exact scores,
-- so their answers stay in use.
INSERT INTO engine (name, author, options)
SELECT name, author, CASE options WHEN '{}' THEN '{"(answers)":"last exact scores"}' ELSE '{"(answers)":"last exact scores",' || substr(options, 2) END
FROM engine
WHERE EXISTS (SELECT 1 FROM evaluation WHERE evaluation.engine = engine.id AND limit_kind <> 1);
UPDATE evaluation SET engine = (
    SELECT earlier.id FROM engine AS earlier JOIN engine AS asked
    ON earlier.name = asked.name AND earlier.author = asked.author
    AND earlier.options = CASE asked.options WHEN '{}' THEN '{"(answers)":"last exact scores"}' ELSE '{"(answers)":"last exact scores",' || substr(asked.options, 2) END
    WHERE asked.id = evaluation.engine
)
WHERE limit_kind <> 1;
