-- The tables of a fleet, version 1. Workers read and change them only through functions.sql.
--
-- The queue of a run is one of pgmq's: a message for each task says who may work on it now; the row in `task` says what happened to it.

-- The version of these tables. A program refuses a fleet of another version.
CREATE TABLE centipawn_fleet.version (version BIGINT NOT NULL);
INSERT INTO centipawn_fleet.version VALUES (1);

-- A submission of games: what is done with them, and what a worker needs for that.
CREATE TABLE centipawn_fleet.run (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- A hash of recipe, need and games, so that the same command finds its run again.
    key BYTEA NOT NULL,
    -- The work.
    recipe JSONB NOT NULL,
    -- The engine with its options, and the networks.
    need JSONB NOT NULL,
    -- Answers of the submitter's engine to some questions. A worker's engine must give the same.
    proof JSONB NOT NULL,
    -- The format of the work (WORK_FORMAT in lib.rs). Only workers with the same format serve the run.
    format INTEGER NOT NULL,
    -- Runs with a higher number come first.
    priority INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'submitting' CHECK (state IN ('submitting', 'open', 'cancelled')),
    -- The user and the host that submitted it.
    submitter TEXT NOT NULL,
    -- When it was submitted.
    at TIMESTAMPTZ NOT NULL DEFAULT now(),
    -- How often another worker does a finished task again, to compare: one task in this many, 0 for never.
    check_every INTEGER NOT NULL DEFAULT 50,
    -- The number of games whose answers were thrown away because their worker was set aside.
    redone BIGINT NOT NULL DEFAULT 0,
    -- Length of the queue and age in seconds of its oldest message, as they were counted last, and until when that count is used: pgmq
    -- reads all messages to count them.
    queue_length BIGINT NOT NULL DEFAULT 0,
    queue_age REAL,
    queue_fresh_until TIMESTAMPTZ NOT NULL DEFAULT '-infinity'
);
CREATE UNIQUE INDEX run_key ON centipawn_fleet.run (key) WHERE state <> 'cancelled';

-- Games that a worker leases at once. A game that had an answer when its run was submitted belongs to no task.
CREATE TABLE centipawn_fleet.task (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    number INTEGER NOT NULL,
    -- waiting: to be done, perhaps leased now. done: its games have answers. parked: given up. hollow: to be done again, but its games were
    -- deleted, so a submitter must bring them.
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'parked', 'hollow')),
    -- The number of its games, and how many of them have answers.
    games INTEGER NOT NULL,
    answered INTEGER NOT NULL DEFAULT 0,
    -- The first and the last of its items.
    first BIGINT NOT NULL DEFAULT 0,
    last BIGINT NOT NULL DEFAULT 0,
    -- The row in `input` that has its games, and how many games there come before them: a task that was cut in two keeps its input.
    source INTEGER NOT NULL,
    skip INTEGER NOT NULL DEFAULT 0,
    -- The message in the queue.
    message BIGINT,
    -- The worker that holds the task, since when, and the number of its request: a request whose reply was lost gets the same task again.
    worker BIGINT,
    leased TIMESTAMPTZ,
    request BIGINT,
    -- How often it was leased, failed and was given back.
    taken INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    returned INTEGER NOT NULL DEFAULT 0,
    -- Workers that were gone when their lease ended. One that comes back takes itself off the list.
    lost BIGINT[] NOT NULL DEFAULT '{}',
    -- Whether it is a part of a task with which workers crashed.
    suspect BOOLEAN NOT NULL DEFAULT false,
    -- Why it failed last, or was given up.
    reason TEXT,
    -- The worker that did it, when, with how many nodes and in how many seconds.
    done_by BIGINT,
    ended TIMESTAMPTZ,
    nodes BIGINT,
    seconds REAL,
    -- Whether another worker does the finished task too: wanted, or disputed after two workers gave different answers.
    doubled TEXT CHECK (doubled IN ('wanted', 'disputed')),
    PRIMARY KEY (run, number)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX task_held ON centipawn_fleet.task (worker, run) WHERE worker IS NOT NULL;
CREATE INDEX task_parked ON centipawn_fleet.task (run, number) WHERE state = 'parked';
CREATE INDEX task_hollow ON centipawn_fleet.task (run, number) WHERE state = 'hollow';
CREATE INDEX task_doubled ON centipawn_fleet.task (run, number) WHERE doubled IS NOT NULL;
CREATE INDEX task_part ON centipawn_fleet.task (run, source) WHERE source <> number;

-- The games of tasks, compressed. In a separate table they are not copied when a lease changes a task, and are deleted when it is done.
CREATE TABLE centipawn_fleet.input (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    -- The task for which it was made.
    number INTEGER NOT NULL,
    games BYTEA NOT NULL,
    PRIMARY KEY (run, number)
);

-- The games of a run, numbered in the order of its input.
CREATE TABLE centipawn_fleet.item (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    number BIGINT NOT NULL,
    -- The key of its answer.
    key BYTEA NOT NULL,
    -- NULL for a game that had an answer already.
    task INTEGER,
    PRIMARY KEY (run, number)
);
CREATE INDEX item_key ON centipawn_fleet.item (key);
CREATE INDEX item_known ON centipawn_fleet.item (run, number) WHERE task IS NULL;

-- What engines answered to all questions about a game. Runs share answers.
CREATE TABLE centipawn_fleet.answer (
    -- A hash of the game and of everything that decides the questions and answers.
    key BYTEA PRIMARY KEY,
    -- Questions and answers, compressed.
    document BYTEA NOT NULL,
    -- SHA-256 of the answers without the time that they took; NULL if the engine's answers vary.
    digest BYTEA,
    worker BIGINT,
    at TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE INDEX answer_at ON centipawn_fleet.answer (at);

-- Failures of tasks, for people.
CREATE TABLE centipawn_fleet.failure (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    task INTEGER NOT NULL,
    worker BIGINT,
    reason TEXT NOT NULL,
    at TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE INDEX failure_run ON centipawn_fleet.failure (run);

-- Workers; a row for each start of one.
CREATE TABLE centipawn_fleet.worker (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT NOT NULL,
    -- The version of Centipawn, and what distinguishes builds of that version: a commit, or empty.
    version TEXT NOT NULL,
    build TEXT NOT NULL DEFAULT '',
    -- Name, author and options.
    engine JSONB NOT NULL,
    -- How many tasks it does at a time.
    slots INTEGER NOT NULL,
    -- SHA-256 of the secret that the worker got when it joined.
    token BYTEA NOT NULL DEFAULT '',
    -- When it joined, was seen last, and ended in an orderly way.
    at TIMESTAMPTZ NOT NULL DEFAULT now(),
    seen TIMESTAMPTZ NOT NULL DEFAULT now(),
    ended TIMESTAMPTZ,
    -- When another worker last gave the same answers.
    agreed TIMESTAMPTZ NOT NULL DEFAULT '-infinity',
    -- Why it was set aside and may not work any more.
    aside TEXT
);

-- Why a worker may not serve a run.
CREATE TABLE centipawn_fleet.refusal (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    worker BIGINT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (run, worker)
);

-- Digests of the answers to a task that workers answered differently.
CREATE TABLE centipawn_fleet.vote (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    task INTEGER NOT NULL,
    worker BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    PRIMARY KEY (run, task, worker)
);

-- Counts of a run, in several rows (shards) so that workers do not wait for each other; the run's count is the sum. A count changes in the
-- same transaction as what it counts.
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
    -- When it changed last.
    at TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (run, shard)
) WITH (fillfactor = 30, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Tasks finished in each of the last eleven minutes, in shards as well.
CREATE TABLE centipawn_fleet.pace (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    shard SMALLINT NOT NULL,
    -- The minute modulo 11, and the minute since 1970, which shows whether the count is old.
    slot SMALLINT NOT NULL,
    minute BIGINT NOT NULL,
    done BIGINT NOT NULL,
    PRIMARY KEY (run, shard, slot)
) WITH (fillfactor = 30, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
