-- The queue is pgmq's: a message says who may work on a task now, a row what happened to it.

-- How often a task is done a second time by another worker: one in so many; 0 for never.
ALTER TABLE centipawn_fleet.run ADD COLUMN check_every INTEGER NOT NULL DEFAULT 50;
-- Games whose answers were thrown away because their worker was set aside.
ALTER TABLE centipawn_fleet.run ADD COLUMN redone BIGINT NOT NULL DEFAULT 0;
-- The last count of the queue: pgmq reads all messages for it.
ALTER TABLE centipawn_fleet.run ADD COLUMN queue_length BIGINT NOT NULL DEFAULT 0;
ALTER TABLE centipawn_fleet.run ADD COLUMN queue_age REAL;
ALTER TABLE centipawn_fleet.run ADD COLUMN queue_fresh_until TIMESTAMPTZ NOT NULL DEFAULT '-infinity';

-- The inputs of tasks. In a table of their own, they are not copied when a lease changes its task, and are deleted when it is done.
CREATE TABLE centipawn_fleet.input (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    number INTEGER NOT NULL,
    games BYTEA NOT NULL,
    PRIMARY KEY (run, number)
);
INSERT INTO centipawn_fleet.input (run, number, games)
    SELECT run, number, input FROM centipawn_fleet.task WHERE state <> 'done';

DROP INDEX centipawn_fleet.task_waiting;
ALTER TABLE centipawn_fleet.task DROP COLUMN input;
ALTER TABLE centipawn_fleet.task DROP CONSTRAINT portion_state_check;
-- 'hollow': to be done again, by a submitter that still has its games.
ALTER TABLE centipawn_fleet.task ADD CONSTRAINT task_state_check CHECK (state IN ('waiting', 'done', 'parked', 'hollow'));
-- The worker that holds the task is `worker`; who did it is `done_by`.
ALTER TABLE centipawn_fleet.task
    ADD COLUMN done_by BIGINT,
    ADD COLUMN message BIGINT,
    ADD COLUMN leased TIMESTAMPTZ,
    -- Identifies a request for a task, so that a request whose reply was lost gets the same task again.
    ADD COLUMN request BIGINT,
    -- Workers that were gone when their lease ended. One that comes back takes itself off the list.
    ADD COLUMN lost BIGINT[] NOT NULL DEFAULT '{}',
    -- A part of a task with which workers crashed.
    ADD COLUMN suspect BOOLEAN NOT NULL DEFAULT false,
    -- Whose input has the games, and where they begin there: a task that was cut in two keeps its input.
    ADD COLUMN source INTEGER,
    ADD COLUMN skip INTEGER NOT NULL DEFAULT 0,
    -- The first and the last of its items.
    ADD COLUMN first BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN last BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN answered INTEGER NOT NULL DEFAULT 0,
    -- Whether another worker does it too: 'wanted', 'disputed'.
    ADD COLUMN doubled TEXT CHECK (doubled IN ('wanted', 'disputed'));
UPDATE centipawn_fleet.task SET
    source = number,
    done_by = CASE WHEN state = 'done' THEN worker END,
    answered = CASE WHEN state = 'done' THEN games ELSE 0 END,
    lost = CASE WHEN state = 'done' THEN '{}'
        ELSE array_fill(0::bigint, ARRAY[greatest(taken - failed - returned - (lease > now())::int, 0)]) END,
    worker = NULL;
UPDATE centipawn_fleet.task t SET first = i.first, last = i.last
    FROM (SELECT run, task, min(number) AS first, max(number) AS last FROM centipawn_fleet.item WHERE task IS NOT NULL GROUP BY run, task) i
    WHERE i.run = t.run AND i.task = t.number;
ALTER TABLE centipawn_fleet.task ALTER COLUMN source SET NOT NULL, DROP COLUMN lease;
-- Tasks that are under way, those that were given up, those that need their games again, and those with a part of another's input.
CREATE INDEX task_held ON centipawn_fleet.task (worker, run) WHERE worker IS NOT NULL;
CREATE INDEX task_parked ON centipawn_fleet.task (run, number) WHERE state = 'parked';
CREATE INDEX task_hollow ON centipawn_fleet.task (run, number) WHERE state = 'hollow';
CREATE INDEX task_doubled ON centipawn_fleet.task (run, number) WHERE doubled IS NOT NULL;
CREATE INDEX task_part ON centipawn_fleet.task (run, source) WHERE source <> number;
CREATE INDEX item_known ON centipawn_fleet.item (run, number) WHERE task IS NULL;
CREATE INDEX answer_at ON centipawn_fleet.answer (at);

-- SHA-256 of what the engine said, without the time that it took; NULL if that varies.
ALTER TABLE centipawn_fleet.answer ADD COLUMN digest BYTEA;

-- The secret that a worker got when it joined; only its hash is here.
ALTER TABLE centipawn_fleet.worker ADD COLUMN token BYTEA NOT NULL DEFAULT '';
ALTER TABLE centipawn_fleet.worker ADD COLUMN build TEXT NOT NULL DEFAULT '';
-- Why it may not work any more.
ALTER TABLE centipawn_fleet.worker ADD COLUMN aside TEXT;
-- When another worker last gave the same answers.
ALTER TABLE centipawn_fleet.worker ADD COLUMN agreed TIMESTAMPTZ NOT NULL DEFAULT '-infinity';

-- Answers to a task that several workers did.
CREATE TABLE centipawn_fleet.vote (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    task INTEGER NOT NULL,
    worker BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    PRIMARY KEY (run, task, worker)
);

-- Counts of a run, in several rows so that workers do not wait for each other. Each changes with what it counts.
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
    at TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (run, shard)
) WITH (fillfactor = 30, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
INSERT INTO centipawn_fleet.tally (run, shard, games, answered, tasks, done, parked, failures, nodes, at)
    SELECT r.id, 0,
        (SELECT count(*) FROM centipawn_fleet.item i WHERE i.run = r.id),
        (SELECT count(*) FROM centipawn_fleet.item i JOIN centipawn_fleet.answer a ON a.key = i.key WHERE i.run = r.id),
        count(t.number), count(*) FILTER (WHERE t.state = 'done'), count(*) FILTER (WHERE t.state = 'parked'),
        (SELECT count(*) FROM centipawn_fleet.failure f WHERE f.run = r.id),
        coalesce(sum(t.nodes), 0), coalesce(max(t.ended), r.at)
    FROM centipawn_fleet.run r LEFT JOIN centipawn_fleet.task t ON t.run = r.id GROUP BY r.id;

-- Tasks finished in each of the last minutes; `minute`, counted since 1970, shows whether a count is old.
CREATE TABLE centipawn_fleet.pace (
    run BIGINT NOT NULL REFERENCES centipawn_fleet.run ON DELETE CASCADE,
    shard SMALLINT NOT NULL,
    slot SMALLINT NOT NULL,
    minute BIGINT NOT NULL,
    done BIGINT NOT NULL,
    PRIMARY KEY (run, shard, slot)
) WITH (fillfactor = 30, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
