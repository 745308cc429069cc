-- What lists of games show, as JSON (`work::library::GameLine`); NULL until a program has read the game.
ALTER TABLE game ADD COLUMN line TEXT;

-- Reviews of many games that were requested together. `state`: src/batches.rs.
CREATE TABLE batch (
    id {id},
    title TEXT NOT NULL,
    state BIGINT NOT NULL
);
ALTER TABLE job ADD COLUMN batch BIGINT REFERENCES batch (id);
CREATE INDEX job_of_batch ON job (batch, state);

-- What finished reviews say, as JSON (`work::library::ReviewLine`, and `review::PlayerGame` of both players), of a `version` of that text.
CREATE TABLE judged (
    job BIGINT PRIMARY KEY REFERENCES job (id),
    version BIGINT NOT NULL,
    line TEXT NOT NULL,
    sides TEXT NOT NULL
);
