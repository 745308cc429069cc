-- The tables of a store, version 3. src/schema.rs replaces {bytes}, {id} and {by_key} by the words
-- of SQLite or PostgreSQL.
--
-- Points in time are seconds since 1970. Documents are JSON.

-- Engines that gave answers. Two engines that differ in an option are two rows.
CREATE TABLE engine (
    id {id},
    -- Name and author as the engine reports them.
    name TEXT NOT NULL,
    author TEXT NOT NULL,
    -- An object of option names and values, with those that change answers, and the networks.
    options TEXT NOT NULL,
    UNIQUE (name, author, options)
);

-- Answers of engines to questions.
CREATE TABLE evaluation (
    -- A hash of the question. Two questions may have the same hash, so a reader compares the
    -- question, too.
    slot BIGINT NOT NULL,
    engine BIGINT NOT NULL REFERENCES engine (id),
    -- What ends the search: 0 for nodes, 1 for depth, 2 for milliseconds; and how many of these.
    limit_kind SMALLINT NOT NULL,
    limit_amount BIGINT NOT NULL,
    -- The number of lines of the question, at most the number of legal moves.
    lines SMALLINT NOT NULL,
    -- The position and the moves before it, as src/packed.rs writes them.
    question {bytes} NOT NULL,
    -- The lines with evaluations and moves, and a checksum, as src/answer.rs writes them.
    answer {bytes} NOT NULL,
    PRIMARY KEY (slot, engine, limit_kind, limit_amount, lines)
){by_key};

-- Games that the user opened or reviewed.
CREATE TABLE game (
    id {id},
    -- SHA-256 of `pgn`.
    key {bytes} NOT NULL UNIQUE,
    -- The game as it was read.
    pgn TEXT NOT NULL,
    -- What lists of games show of it (`work::library::GameLine`); NULL until a program has read the
    -- game.
    line TEXT
);

-- Findings of games: what an engine says of each move, from which a review follows by any curve.
CREATE TABLE findings (
    game BIGINT NOT NULL REFERENCES game (id),
    -- An object of what decides the findings: the engine and the options of the review.
    settings TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (game, settings)
);

-- Work on games that users of the page requested: reviews, and searches for puzzles.
CREATE TABLE job (
    id {id},
    game BIGINT NOT NULL REFERENCES game (id),
    -- A line for people: the players.
    title TEXT NOT NULL,
    -- The number of positions to evaluate.
    positions BIGINT NOT NULL,
    -- The work.
    recipe TEXT NOT NULL,
    -- The engine's command and options.
    engine TEXT NOT NULL,
    -- 0 open, 1 done, 2 cancelled, 3 failed.
    state BIGINT NOT NULL,
    -- The `settings` of the row in `findings` that has the result, or will have it; NULL until the
    -- search begins, and for work without an engine.
    settings TEXT,
    -- The number of puzzles that a search for puzzles found; NULL for other jobs.
    puzzles BIGINT,
    -- Why the job failed.
    problem TEXT,
    -- 1 if an open job was also requested by itself, so that it stays when its batches are
    -- cancelled.
    alone BIGINT NOT NULL DEFAULT 0,
    UNIQUE (game, recipe, engine)
);

-- What finished reviews contribute to lists and to profiles of players.
CREATE TABLE judged (
    job BIGINT PRIMARY KEY REFERENCES job (id),
    -- The version of both texts. A program makes texts of other versions again.
    version BIGINT NOT NULL,
    -- What a list shows of the review (`work::library::ReviewLine`).
    line TEXT NOT NULL,
    -- The games of both players for their profiles (`review::PlayerGame`); empty until a profile
    -- needs them.
    sides TEXT NOT NULL
);

-- Jobs that were requested together.
CREATE TABLE batch (
    id {id},
    -- A line for people.
    title TEXT NOT NULL,
    -- 0 open, 1 paused, 2 cancelled.
    state BIGINT NOT NULL
);

-- The jobs of each batch. A job may belong to several.
CREATE TABLE batch_job (
    batch BIGINT NOT NULL REFERENCES batch (id),
    job BIGINT NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    -- The state in which the job ended for this batch, if it was requested again after that; else
    -- NULL.
    ended BIGINT,
    PRIMARY KEY (batch, job)
){by_key};
CREATE INDEX batch_job_of_job ON batch_job (job);

-- Puzzles to solve.
CREATE TABLE puzzle (
    id {id},
    -- The Zobrist key of the position that is shown.
    key BIGINT NOT NULL UNIQUE,
    -- A line for people: which game or file it is from.
    origin TEXT NOT NULL,
    -- NULL if it was not rated.
    rating BIGINT,
    -- Names separated by spaces.
    themes TEXT NOT NULL,
    -- The game of this store that it is from, and the number of half-moves before the solver's
    -- mistake.
    game BIGINT REFERENCES game (id),
    ply BIGINT,
    -- The puzzle.
    document TEXT NOT NULL,
    -- Spaced repetition: when the puzzle is due; NULL unless the user repeats it. Then what the
    -- solver remembers of it (`puzzle::Memory`): the stability in days, the difficulty from 1 to
    -- 10, and the time of the answer after which they hold; NULL before the first answer.
    due BIGINT,
    stability DOUBLE PRECISION,
    difficulty DOUBLE PRECISION,
    answered_at BIGINT
);

-- Attempts of the user to solve puzzles.
CREATE TABLE attempt (
    id {id},
    puzzle BIGINT NOT NULL REFERENCES puzzle (id),
    tried_at BIGINT NOT NULL,
    -- The numbers of wrong moves and of hints.
    mistakes BIGINT NOT NULL,
    hints BIGINT NOT NULL
);

-- The version of these tables: a program refuses a store of another version. And how often games
-- were deleted: a number of a deleted game may be used again, so a list of games that another
-- program holds is wrong once this has changed.
CREATE TABLE centipawn_store (
    version BIGINT NOT NULL,
    deletions BIGINT NOT NULL DEFAULT 0
);
INSERT INTO centipawn_store (version) VALUES (3);
