-- The tables of a fleet, version 1. Workers read and change them only through functions.sql.
--
-- Each run has a pgmq queue with one message for each task. The message controls which worker may
-- work on the task now; the row in `task` records its history.

-- The version of these tables. The program refuses a fleet of another version.
CREATE TABLE centipawn_fleet.version (version BIGINT NOT NULL);
INSERT INTO centipawn_fleet.version VALUES (1);

-- A submission of games, with their work and the requirements for workers.
CREATE TABLE centipawn_fleet.run (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- A hash of recipe, requirements and games, so that the same command finds its run again.
    key BYTEA NOT NULL,
    -- The kind of work with its options.
    recipe JSONB NOT NULL,
    -- The engine with its options, and the networks.
    need JSONB NOT NULL,
    -- Answers of the submitter's engine to the test questions. A worker's engine must give the same
    -- answers.
    proof JSONB NOT NULL,
    -- The format of the work (WORK_FORMAT in lib.rs). Only workers with the same format serve the
    -- run.
    format INTEGER NOT NULL,
    -- Runs with a higher priority are served first.
    priority INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'submitting' CHECK (state IN ('submitting', 'open', 'cancelled')),
    -- The user and the host that submitted it.
    submitter TEXT NOT NULL,
    -- The time of the submission.
    at TIMESTAMPTZ NOT NULL DEFAULT now(),
    -- One finished task in this many is repeated by another worker for comparison; 0 for none.
    check_every INTEGER NOT NULL DEFAULT 50,
    -- The number of games whose answers were discarded because their worker was set aside.
    redone BIGINT NOT NULL DEFAULT 0,
    -- The last measured length of the queue and age of its oldest message in seconds, and the time
    -- until which they are used. They are not measured for each status, because pgmq reads all
    -- messages.
    queue_length BIGINT NOT NULL DEFAULT 0,
    queue_age REAL,
    queue_fresh_until TIMESTAMPTZ NOT NULL DEFAULT '-infinity'
);
CREATE UNIQUE INDEX run_key ON centipawn_fleet.run (key) WHERE state <> 'cancelled';

-- Games that a worker leases together. A game that already had an answer when its run was submitted
-- belongs to no task.
CREATE TABLE centipawn_fleet.task (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    number INTEGER NOT NULL,
    -- waiting: not done, possibly leased. done: all games have answers. parked: failed for the last
    -- time. hollow: must be repeated, but the games were deleted, so a submitter must send them
    -- again.
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'parked', 'hollow')),
    -- The number of games, and how many of them have answers.
    games INTEGER NOT NULL,
    answered INTEGER NOT NULL DEFAULT 0,
    -- The first and the last item of the task.
    first BIGINT NOT NULL DEFAULT 0,
    last BIGINT NOT NULL DEFAULT 0,
    -- The row of `input` that contains the games, and the number of games in it that belong to an
    -- earlier task: the halves of a split task share one input.
    source INTEGER NOT NULL,
    skip INTEGER NOT NULL DEFAULT 0,
    -- The message in the queue.
    message BIGINT,
    -- The worker that holds the lease, its start, and the number of the worker's request. If the
    -- reply to the request was lost, the repeated request gets the same task again.
    worker BIGINT,
    leased TIMESTAMPTZ,
    request BIGINT,
    -- How many times the task was leased, failed and was returned.
    taken INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    returned INTEGER NOT NULL DEFAULT 0,
    -- Workers that crashed: those whose lease expired. If such a worker appears again, it is
    -- removed from this list.
    lost BIGINT[] NOT NULL DEFAULT '{}',
    -- Whether it is a part of a split task with which workers crashed.
    suspect BOOLEAN NOT NULL DEFAULT false,
    -- The reason of the last failure.
    reason TEXT,
    -- The worker that finished the task, the time, the searched nodes and the duration in seconds.
    done_by BIGINT,
    ended TIMESTAMPTZ,
    nodes BIGINT,
    seconds REAL,
    -- Whether another worker repeats the finished task: wanted, or disputed after two workers gave
    -- different answers.
    doubled TEXT CHECK (doubled IN ('wanted', 'disputed')),
    PRIMARY KEY (run, number)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX task_held ON centipawn_fleet.task (worker, run) WHERE worker IS NOT NULL;
CREATE INDEX task_parked ON centipawn_fleet.task (run, number) WHERE state = 'parked';
CREATE INDEX task_hollow ON centipawn_fleet.task (run, number) WHERE state = 'hollow';
CREATE INDEX task_doubled ON centipawn_fleet.task (run, number) WHERE doubled IS NOT NULL;
CREATE INDEX task_part ON centipawn_fleet.task (run, source) WHERE source <> number;

-- The games of tasks, compressed. They have their own table, because PostgreSQL would otherwise
-- copy them with every change of a task. They are deleted when the task is done.
CREATE TABLE centipawn_fleet.input (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    -- The task for which the row was created.
    number INTEGER NOT NULL,
    games BYTEA NOT NULL,
    PRIMARY KEY (run, number)
);

-- The games of a run, numbered in the order of its input.
CREATE TABLE centipawn_fleet.item (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    number BIGINT NOT NULL,
    -- The key of the game's answer.
    key BYTEA NOT NULL,
    -- NULL for a game that already had an answer.
    task INTEGER,
    PRIMARY KEY (run, number)
);
CREATE INDEX item_key ON centipawn_fleet.item (key);
CREATE INDEX item_known ON centipawn_fleet.item (run, number) WHERE task IS NULL;

-- The answers of engines to all questions about a game. All runs share them.
CREATE TABLE centipawn_fleet.answer (
    -- A hash of the game and of everything on which questions and answers depend.
    key BYTEA PRIMARY KEY,
    -- Questions and answers, compressed.
    document BYTEA NOT NULL,
    -- SHA-256 of the answers without their times; NULL if the engine's answers vary.
    digest BYTEA,
    worker BIGINT,
    at TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE INDEX answer_at ON centipawn_fleet.answer (at);

-- Failures of tasks, for the operator.
CREATE TABLE centipawn_fleet.failure (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    task INTEGER NOT NULL,
    worker BIGINT,
    reason TEXT NOT NULL,
    at TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE INDEX failure_run ON centipawn_fleet.failure (run);

-- Workers, one row for each start of a process.
CREATE TABLE centipawn_fleet.worker (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT NOT NULL,
    -- The version of Centipawn, and the build of that version: a commit, or empty.
    version TEXT NOT NULL,
    build TEXT NOT NULL DEFAULT '',
    -- Name, author and options.
    engine JSONB NOT NULL,
    -- The number of tasks at the same time.
    slots INTEGER NOT NULL,
    -- SHA-256 of the secret that the worker received when it joined.
    token BYTEA NOT NULL DEFAULT '',
    -- When the worker joined, was last seen, and ended in an orderly way.
    at TIMESTAMPTZ NOT NULL DEFAULT now(),
    seen TIMESTAMPTZ NOT NULL DEFAULT now(),
    ended TIMESTAMPTZ,
    -- When another worker last gave the same answers as this one.
    agreed TIMESTAMPTZ NOT NULL DEFAULT '-infinity',
    -- The reason why the worker was set aside and may no longer work.
    aside TEXT
);

-- The reasons why workers do not serve a run.
CREATE TABLE centipawn_fleet.refusal (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    worker BIGINT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (run, worker)
);

-- Digests of the answers of all workers to a task whose answers are disputed.
CREATE TABLE centipawn_fleet.vote (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    task INTEGER NOT NULL,
    worker BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    PRIMARY KEY (run, task, worker)
);

-- Counts of a run. They are spread over several rows (shards), so that workers do not wait for each
-- other's locks; the count is the sum. A count changes in the same transaction as the rows that it
-- counts.
CREATE TABLE centipawn_fleet.tally (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    shard SMALLINT NOT NULL,
    games BIGINT NOT NULL DEFAULT 0,
    answered BIGINT NOT NULL DEFAULT 0,
    tasks BIGINT NOT NULL DEFAULT 0,
    done BIGINT NOT NULL DEFAULT 0,
    parked BIGINT NOT NULL DEFAULT 0,
    hollow BIGINT NOT NULL DEFAULT 0,
    doubles BIGINT NOT NULL DEFAULT 0,
    failures BIGINT NOT NULL DEFAULT 0,
    nodes BIGINT NOT NULL DEFAULT 0,
    -- When the row last changed.
    at TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (run, shard)
) WITH (fillfactor = 30, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- The number of tasks finished in each of the last eleven minutes, also in shards.
CREATE TABLE centipawn_fleet.pace (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    shard SMALLINT NOT NULL,
    -- The minute since 1970, and this number modulo 11. A row with an older minute is out of date.
    slot SMALLINT NOT NULL,
    minute BIGINT NOT NULL,
    done BIGINT NOT NULL,
    PRIMARY KEY (run, shard, slot)
) WITH (fillfactor = 30, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
