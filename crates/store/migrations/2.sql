-- Work on a game that a server was asked for. `recipe`: the work as JSON; `engine`: the engine's command and options as JSON.
-- `state`: src/jobs.rs; `settings`: that of the row in `review` with the result.
CREATE TABLE job (
    id {id},
    game BIGINT NOT NULL REFERENCES game (id),
    title TEXT NOT NULL,
    positions BIGINT NOT NULL,
    recipe TEXT NOT NULL,
    engine TEXT NOT NULL,
    state BIGINT NOT NULL,
    settings TEXT,
    problem TEXT,
    UNIQUE (game, recipe, engine)
);
