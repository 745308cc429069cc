-- {bytes}, {id} and {by_key} are each database's own words for the same thing; see src/schema.rs.

-- Who evaluates. `options`: a JSON object of names and values.
CREATE TABLE engine (
    id {id},
    name TEXT NOT NULL,
    author TEXT NOT NULL,
    options TEXT NOT NULL,
    UNIQUE (name, author, options)
);

-- `question`: position and moves, src/packed.rs; `slot`: a hash of it, which finds it without doing for it.
-- `limit_kind`: 0 nodes, 1 depth, 2 milliseconds. `lines`: asked for, at most the moves there are. `answer`: src/answer.rs.
CREATE TABLE evaluation (
    slot BIGINT NOT NULL,
    engine BIGINT NOT NULL REFERENCES engine (id),
    limit_kind SMALLINT NOT NULL,
    limit_amount BIGINT NOT NULL,
    lines SMALLINT NOT NULL,
    question {bytes} NOT NULL,
    answer {bytes} NOT NULL,
    PRIMARY KEY (slot, engine, limit_kind, limit_amount, lines)
){by_key};

-- `key`: SHA-256 of `pgn`, the game as it was read.
CREATE TABLE game (
    id {id},
    key {bytes} NOT NULL UNIQUE,
    pgn TEXT NOT NULL
);

-- `settings`: a JSON object that says who reviewed, and how. `document`: the review as JSON.
CREATE TABLE review (
    game BIGINT NOT NULL REFERENCES game (id),
    settings TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (game, settings)
);
