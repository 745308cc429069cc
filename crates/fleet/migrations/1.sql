-- A submission of games: what is done with them, and what a worker needs for that.
CREATE TABLE centipawn_fleet.run (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- A hash of recipe, need and games: the same command finds its run again.
    key BYTEA NOT NULL,
    recipe JSONB NOT NULL,
    need JSONB NOT NULL,
    -- Answers of the submitter's engine, which a worker's engine must give too.
    proof JSONB NOT NULL,
    version TEXT NOT NULL,
    priority INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'submitting' CHECK (state IN ('submitting', 'open', 'cancelled')),
    submitter TEXT NOT NULL,
    at TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX run_key ON centipawn_fleet.run (key) WHERE state <> 'cancelled';

-- Games that a worker takes at once. The row is also its place in the queue: it is free when its lease has passed.
CREATE TABLE centipawn_fleet.portion (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    number INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'parked')),
    lease TIMESTAMPTZ NOT NULL DEFAULT '-infinity',
    worker BIGINT,
    -- How often it was taken, failed and was given back; what is left are deaths of its workers.
    taken INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    returned INTEGER NOT NULL DEFAULT 0,
    reason TEXT,
    games INTEGER NOT NULL,
    input BYTEA NOT NULL,
    nodes BIGINT,
    seconds REAL,
    ended TIMESTAMPTZ,
    PRIMARY KEY (run, number)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX portion_waiting ON centipawn_fleet.portion (run, number) WHERE state = 'waiting';

-- The games of a run in the order of its input; a game whose answer was known already has no portion.
CREATE TABLE centipawn_fleet.item (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    number BIGINT NOT NULL,
    key BYTEA NOT NULL,
    portion INTEGER,
    PRIMARY KEY (run, number)
);
CREATE INDEX item_key ON centipawn_fleet.item (key);

-- What engines answered to all questions about a game, compressed; one for each game and way to ask.
CREATE TABLE centipawn_fleet.answer (
    key BYTEA PRIMARY KEY,
    document BYTEA NOT NULL,
    worker BIGINT,
    at TIMESTAMPTZ NOT NULL DEFAULT now()
);

CREATE TABLE centipawn_fleet.failure (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    portion INTEGER NOT NULL,
    worker BIGINT,
    reason TEXT NOT NULL,
    at TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE INDEX failure_run ON centipawn_fleet.failure (run);

-- One row for each start of a worker.
CREATE TABLE centipawn_fleet.worker (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    engine JSONB NOT NULL,
    slots INTEGER NOT NULL,
    at TIMESTAMPTZ NOT NULL DEFAULT now(),
    seen TIMESTAMPTZ NOT NULL DEFAULT now(),
    ended TIMESTAMPTZ
);

-- Why a worker may not serve a run.
CREATE TABLE centipawn_fleet.refusal (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    worker BIGINT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (run, worker)
);
