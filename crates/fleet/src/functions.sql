-- The functions that workers may call. Each of them runs with the rights of the fleet's owner and
-- checks the worker's secret; the role of a worker may do nothing else. Errors that workers must
-- recognise have codes: CP001 for a worker that is not registered, CP002 for a worker that was set
-- aside.

CREATE FUNCTION centipawn_fleet.queue(run BIGINT) RETURNS TEXT
LANGUAGE sql IMMUTABLE AS $$ SELECT 'centipawn_' || run $$;

-- For how many seconds the message of a finished task is hidden, so that the queue does not offer
-- it. Workers that repeat the task for comparison find it in `task` instead.
CREATE FUNCTION centipawn_fleet.hidden() RETURNS INTEGER
LANGUAGE sql IMMUTABLE AS $$ SELECT 365 * 86400 $$;

-- Creates the queue of a run. It is vacuumed often, because it is small and changes all the time.
CREATE FUNCTION centipawn_fleet.create_queue(run BIGINT) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pgmq.create(centipawn_fleet.queue(run));
    EXECUTE format('ALTER TABLE pgmq.%I SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)',
        'q_' || centipawn_fleet.queue(run));
END $$;

CREATE FUNCTION centipawn_fleet.drop_queue(run BIGINT) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF to_regclass('pgmq.q_' || centipawn_fleet.queue(run)) IS NOT NULL THEN
        PERFORM pgmq.drop_queue(centipawn_fleet.queue(run));
    END IF;
END $$;

-- Adds tasks to the queue.
CREATE FUNCTION centipawn_fleet.send(run BIGINT, tasks INTEGER[]) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF cardinality(tasks) > 0 THEN
        PERFORM pgmq.send_batch(centipawn_fleet.queue(run),
            ARRAY(SELECT jsonb_build_object('task', number) FROM unnest(tasks) WITH ORDINALITY AS new(number, place) ORDER BY place));
    END IF;
END $$;

-- Returns the length of a run's queue and the age of its oldest message. pgmq reads all messages
-- for this, so a result is reused for twenty times as long as the measurement took.
CREATE FUNCTION centipawn_fleet.measure_queue(asked BIGINT, OUT length BIGINT, OUT age REAL)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    begun TIMESTAMPTZ := clock_timestamp();
    until TIMESTAMPTZ;
BEGIN
    SELECT r.queue_length, r.queue_age, r.queue_fresh_until INTO length, age, until FROM centipawn_fleet.run r WHERE r.id = asked;
    IF until > begun OR to_regclass('pgmq.q_' || centipawn_fleet.queue(asked)) IS NULL THEN
        RETURN;
    END IF;
    -- Only one caller measures at a time; the others use the previous result.
    PERFORM FROM centipawn_fleet.run r WHERE r.id = asked FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    SELECT m.queue_length, m.oldest_msg_age_sec INTO length, age FROM pgmq.metrics(centipawn_fleet.queue(asked)) AS m;
    UPDATE centipawn_fleet.run r SET queue_length = measure_queue.length, queue_age = measure_queue.age,
        queue_fresh_until = clock_timestamp() + 20 * (clock_timestamp() - begun) WHERE r.id = asked;
END $$;

-- Returns for how many seconds the oldest free message has been waiting. Unlike pgmq's metrics,
-- this uses an index.
CREATE FUNCTION centipawn_fleet.oldest_waiting(run BIGINT) RETURNS DOUBLE PRECISION
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    oldest TIMESTAMPTZ;
BEGIN
    IF to_regclass('pgmq.q_' || centipawn_fleet.queue(run)) IS NULL THEN
        RETURN NULL;
    END IF;
    EXECUTE format('SELECT min(vt) FROM pgmq.%I', 'q_' || centipawn_fleet.queue(run)) INTO oldest;
    RETURN CASE WHEN oldest <= clock_timestamp() THEN extract(epoch FROM clock_timestamp() - oldest) END;
END $$;

-- Adds to the counts of a run.
CREATE FUNCTION centipawn_fleet.add_tally(of_run BIGINT, by_worker BIGINT, more_done BIGINT DEFAULT 0, more_parked BIGINT DEFAULT 0,
    more_hollow BIGINT DEFAULT 0, more_doubles BIGINT DEFAULT 0, more_failures BIGINT DEFAULT 0, more_nodes BIGINT DEFAULT 0,
    more_answered BIGINT DEFAULT 0, more_tasks BIGINT DEFAULT 0, more_games BIGINT DEFAULT 0) RETURNS VOID
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE centipawn_fleet.tally SET done = done + more_done, parked = parked + more_parked, hollow = hollow + more_hollow,
        doubles = doubles + more_doubles, failures = failures + more_failures, nodes = nodes + more_nodes, at = now(),
        answered = answered + more_answered, tasks = tasks + more_tasks, games = games + more_games
        WHERE run = of_run AND shard = by_worker % 16;
    IF NOT FOUND THEN
        INSERT INTO centipawn_fleet.tally AS t (run, shard, done, parked, hollow, doubles, failures, nodes, answered, tasks, games)
            VALUES (of_run, by_worker % 16, more_done, more_parked, more_hollow, more_doubles, more_failures, more_nodes, more_answered,
                more_tasks, more_games)
            ON CONFLICT (run, shard) DO UPDATE SET done = t.done + more_done, parked = t.parked + more_parked,
                hollow = t.hollow + more_hollow, doubles = t.doubles + more_doubles, failures = t.failures + more_failures,
                nodes = t.nodes + more_nodes, at = now(), answered = t.answered + more_answered, tasks = t.tasks + more_tasks,
                games = t.games + more_games;
    END IF;
END $$;

-- Counts a finished task in the current minute, for the rate.
CREATE FUNCTION centipawn_fleet.count_pace(of_run BIGINT, by_worker BIGINT) RETURNS VOID
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    now_minute BIGINT := extract(epoch FROM clock_timestamp())::bigint / 60;
BEGIN
    INSERT INTO centipawn_fleet.pace AS p (run, shard, slot, minute, done)
        VALUES (of_run, by_worker % 16, now_minute % 11, now_minute, 1)
        ON CONFLICT (run, shard, slot) DO UPDATE SET minute = now_minute,
            done = CASE WHEN p.minute = now_minute THEN p.done + 1 ELSE 1 END;
END $$;

CREATE FUNCTION centipawn_fleet.authenticate(me BIGINT, secret TEXT) RETURNS VOID
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    w centipawn_fleet.worker;
BEGIN
    SELECT * INTO w FROM centipawn_fleet.worker WHERE id = me;
    IF NOT FOUND OR w.token <> sha256(convert_to(secret, 'UTF8')) THEN
        RAISE EXCEPTION 'worker % is not registered', me USING ERRCODE = 'CP001';
    END IF;
    IF w.aside IS NOT NULL THEN
        RAISE EXCEPTION '%', w.aside USING ERRCODE = 'CP002';
    END IF;
END $$;

-- Registers a worker. Refuses a name that was set aside within the last hour: otherwise a service
-- manager would start the broken worker again.
CREATE FUNCTION centipawn_fleet.enlist(name TEXT, version TEXT, build TEXT, engine JSONB, slots INTEGER,
    OUT worker BIGINT, OUT secret TEXT)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    earlier TEXT;
BEGIN
    SELECT w.aside INTO earlier FROM centipawn_fleet.worker w
        WHERE w.name = enlist.name AND w.aside IS NOT NULL AND w.seen > now() - interval '1 hour' LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION '%', earlier USING ERRCODE = 'CP002';
    END IF;
    secret := gen_random_uuid()::text || gen_random_uuid()::text;
    INSERT INTO centipawn_fleet.worker (name, version, build, engine, slots, token)
        VALUES (left(enlist.name, 200), left(enlist.version, 100), left(enlist.build, 100), enlist.engine,
            least(greatest(enlist.slots, 1), 1024), sha256(convert_to(secret, 'UTF8')))
        RETURNING id INTO worker;
END $$;

-- Returns what a worker must know to decide whether it serves a run.
CREATE FUNCTION centipawn_fleet.open_run(me BIGINT, secret TEXT, asked BIGINT)
RETURNS TABLE (format INTEGER, recipe TEXT, need TEXT, proof TEXT)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM centipawn_fleet.authenticate(me, secret);
    RETURN QUERY SELECT r.format, r.recipe::text, r.need::text, r.proof::text FROM centipawn_fleet.run r
        WHERE r.id = asked AND r.state = 'open';
END $$;

CREATE FUNCTION centipawn_fleet.refuse(me BIGINT, secret TEXT, asked BIGINT, why TEXT) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM centipawn_fleet.authenticate(me, secret);
    INSERT INTO centipawn_fleet.refusal (run, worker, reason) SELECT id, me, left(why, 2000) FROM centipawn_fleet.run WHERE id = asked
        ON CONFLICT (run, worker) DO UPDATE SET reason = excluded.reason;
END $$;

-- Removes a worker that appears again from the list of crashed workers of a task.
CREATE FUNCTION centipawn_fleet.clear_blame(me BIGINT, in_run BIGINT, of_task INTEGER) RETURNS VOID
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    t centipawn_fleet.task;
BEGIN
    SELECT * INTO t FROM centipawn_fleet.task WHERE run = in_run AND number = of_task AND me = ANY(lost) FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    UPDATE centipawn_fleet.task SET lost = array_remove(lost, me) WHERE run = in_run AND number = of_task;
    IF t.state = 'parked' AND t.failed < 3 THEN
        -- The task was parked because of crashes, and one of these workers has not crashed.
        UPDATE centipawn_fleet.task SET state = 'waiting', reason = NULL, message = NULL WHERE run = in_run AND number = of_task;
        PERFORM centipawn_fleet.send(in_run, ARRAY[of_task]);
        PERFORM centipawn_fleet.add_tally(in_run, me, more_parked => -1);
    END IF;
END $$;

-- Parks a task.
CREATE FUNCTION centipawn_fleet.park(me BIGINT, in_run BIGINT, of_task INTEGER, message BIGINT, why TEXT) RETURNS VOID
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE centipawn_fleet.task SET state = 'parked', worker = NULL, message = NULL, reason = why WHERE run = in_run AND number = of_task;
    PERFORM pgmq.delete(centipawn_fleet.queue(in_run), park.message);
    INSERT INTO centipawn_fleet.failure (run, task, worker, reason) VALUES (in_run, of_task, me, why);
    PERFORM centipawn_fleet.add_tally(in_run, me, more_parked => 1, more_failures => 1);
END $$;

-- Splits a task in two halves, which run alone: the game that crashes workers is in one of them.
-- The first half keeps the number.
CREATE FUNCTION centipawn_fleet.bisect(t centipawn_fleet.task, message BIGINT) RETURNS VOID
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    half INTEGER := t.games / 2;
    middle BIGINT;
    next INTEGER;
BEGIN
    -- The lock ensures that only one process assigns numbers of tasks.
    PERFORM FROM centipawn_fleet.run WHERE id = t.run FOR NO KEY UPDATE;
    SELECT max(number) + 1 INTO next FROM centipawn_fleet.task WHERE run = t.run;
    SELECT number INTO middle FROM centipawn_fleet.item WHERE run = t.run AND number BETWEEN t.first AND t.last AND task = t.number
        ORDER BY number OFFSET half LIMIT 1;
    INSERT INTO centipawn_fleet.task (run, number, games, source, skip, first, last, suspect, failed)
        VALUES (t.run, next, t.games - half, t.source, t.skip + half, middle, t.last, true, t.failed);
    UPDATE centipawn_fleet.item SET task = next WHERE run = t.run AND number BETWEEN middle AND t.last AND task = t.number;
    UPDATE centipawn_fleet.task SET games = half, last = middle - 1, suspect = true, lost = '{}', worker = NULL, message = NULL, answered = 0
        WHERE run = t.run AND number = t.number;
    PERFORM pgmq.delete(centipawn_fleet.queue(t.run), message);
    PERFORM centipawn_fleet.send(t.run, ARRAY[t.number, next]);
    PERFORM centipawn_fleet.add_tally(t.run, 0, more_tasks => 1, more_answered => -t.answered);
END $$;

-- Leases the next task for a worker: a free task of the run with the highest priority that the
-- worker serves. If that is a run that the worker has not examined yet, returns a row without a
-- task. A repeated request with the same number `asked` returns the same task.
CREATE FUNCTION centipawn_fleet.lease(me BIGINT, secret TEXT, asked BIGINT, served BIGINT[], refused BIGINT[])
RETURNS TABLE (run BIGINT, task INTEGER, taken INTEGER, crashes INTEGER, alone BOOLEAN, doubled BOOLEAN, skip INTEGER, games INTEGER, input BYTEA)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    r RECORD;
    m RECORD;
    t centipawn_fleet.task;
    most INTEGER;
    gone INTEGER;
BEGIN
    PERFORM centipawn_fleet.authenticate(me, secret);
    SELECT slots INTO most FROM centipawn_fleet.worker WHERE id = me;
    -- The reply to the first attempt of this request was lost.
    RETURN QUERY SELECT h.run, h.number, h.taken, cardinality(h.lost), h.suspect OR cardinality(h.lost) >= 2, h.state = 'done', h.skip, h.games,
        i.games FROM centipawn_fleet.task h LEFT JOIN centipawn_fleet.input i ON i.run = h.run AND i.number = h.source
        WHERE h.worker = me AND h.request = asked;
    -- If all slots of the worker are busy, it gets no task either.
    IF FOUND OR (SELECT count(*) FROM centipawn_fleet.task h WHERE h.worker = me) >= most THEN
        RETURN;
    END IF;
    FOR r IN SELECT o.id FROM centipawn_fleet.run o WHERE o.state = 'open' AND o.id <> ALL(refused)
        AND (SELECT sum(c.tasks - c.done - c.parked - c.hollow + c.doubles) FROM centipawn_fleet.tally c WHERE c.run = o.id) > 0
        ORDER BY o.priority DESC, o.id
    LOOP
        IF r.id <> ALL(served) THEN
            RETURN QUERY SELECT r.id, NULL::integer, 0, 0, false, false, 0, 0, NULL::bytea;
            RETURN;
        END IF;
        -- First a finished task of another worker, for comparison. Its message is hidden, so the
        -- queue does not offer it.
        SELECT * INTO t FROM centipawn_fleet.task f WHERE f.run = r.id AND f.doubled IS NOT NULL AND f.worker IS NULL AND f.done_by <> me
            AND NOT EXISTS (SELECT FROM centipawn_fleet.vote v WHERE v.run = f.run AND v.task = f.number AND v.worker = me)
            ORDER BY f.number LIMIT 1 FOR UPDATE SKIP LOCKED;
        IF FOUND THEN
            UPDATE centipawn_fleet.task f SET worker = me, taken = f.taken + 1, leased = now(), request = asked
                WHERE f.run = r.id AND f.number = t.number;
            PERFORM pgmq.set_vt(centipawn_fleet.queue(r.id), t.message, 60);
            RETURN QUERY SELECT r.id, t.number, t.taken + 1, 0, false, true, t.skip, t.games,
                (SELECT i.games FROM centipawn_fleet.input i WHERE i.run = r.id AND i.number = t.source);
            RETURN;
        END IF;
        -- Messages whose task needs no work are deleted. The loop is limited, so that one request
        -- does not take long.
        FOR attempt IN 1..8 LOOP
            SELECT q.msg_id, (q.message->>'task')::integer AS number INTO m FROM pgmq.read(centipawn_fleet.queue(r.id), 60, 1) AS q;
            EXIT WHEN NOT FOUND;
            SELECT * INTO t FROM centipawn_fleet.task f WHERE f.run = r.id AND f.number = m.number FOR UPDATE;
            IF NOT FOUND OR t.state NOT IN ('waiting', 'done') OR t.state = 'done' AND t.doubled IS NULL OR t.message <> m.msg_id THEN
                PERFORM pgmq.delete(centipawn_fleet.queue(r.id), m.msg_id);
                CONTINUE;
            END IF;
            IF t.worker <> me AND NOT EXISTS (SELECT FROM centipawn_fleet.worker w WHERE w.id = t.worker AND w.ended IS NOT NULL) THEN
                t.lost := array_append(t.lost, t.worker);
            END IF;
            gone := cardinality(t.lost);
            IF t.state = 'done' THEN
                -- The worker that repeated the task for comparison has crashed. The task itself has
                -- answers, so after two crashes only the comparison ends.
                IF gone >= 2 THEN
                    PERFORM centipawn_fleet.end_double(t, m.msg_id, me);
                ELSE
                    UPDATE centipawn_fleet.task f SET worker = NULL, lost = t.lost WHERE f.run = r.id AND f.number = t.number;
                    PERFORM pgmq.set_vt(centipawn_fleet.queue(r.id), m.msg_id, centipawn_fleet.hidden());
                END IF;
                CONTINUE;
            ELSIF t.games > 1 AND (gone >= 2 OR t.suspect AND gone >= 1) THEN
                UPDATE centipawn_fleet.task f SET lost = t.lost WHERE f.run = r.id AND f.number = t.number;
                PERFORM centipawn_fleet.bisect(t, m.msg_id);
                CONTINUE;
            ELSIF gone >= 3 OR t.suspect AND gone >= 2 THEN
                UPDATE centipawn_fleet.task f SET lost = t.lost WHERE f.run = r.id AND f.number = t.number;
                PERFORM centipawn_fleet.park(me, r.id, t.number, m.msg_id,
                    CASE WHEN t.suspect THEN 'workers crashed with it, also when it was the only game' ELSE gone || ' workers crashed with it' END);
                CONTINUE;
            END IF;
            UPDATE centipawn_fleet.task f SET worker = me, taken = f.taken + 1, leased = now(), request = asked, lost = t.lost, message = m.msg_id
                WHERE f.run = r.id AND f.number = t.number;
            RETURN QUERY SELECT r.id, t.number, t.taken + 1, gone, t.suspect OR gone >= 2, false, t.skip, t.games,
                (SELECT i.games FROM centipawn_fleet.input i WHERE i.run = r.id AND i.number = t.source);
            RETURN;
        END LOOP;
    END LOOP;
END $$;

-- Returns whether tasks of these runs are unfinished. This includes tasks that other workers hold,
-- because these workers may crash.
CREATE FUNCTION centipawn_fleet.is_left(me BIGINT, secret TEXT, served BIGINT[]) RETURNS BOOLEAN
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM centipawn_fleet.authenticate(me, secret);
    RETURN EXISTS (SELECT FROM centipawn_fleet.run r WHERE r.state = 'open' AND r.id = ANY(served)
        AND (SELECT sum(c.tasks - c.done - c.parked - c.hollow) FROM centipawn_fleet.tally c WHERE c.run = r.id) > 0);
END $$;

-- Returns a task to the queue without a failure.
CREATE FUNCTION centipawn_fleet.release(me BIGINT, in_run BIGINT, of_task INTEGER) RETURNS VOID
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    m BIGINT;
    pause INTEGER;
BEGIN
    UPDATE centipawn_fleet.task SET worker = NULL, returned = returned + 1 WHERE run = in_run AND number = of_task AND worker = me
        RETURNING message, CASE WHEN doubled IS NULL THEN 0 ELSE centipawn_fleet.hidden() END INTO m, pause;
    IF FOUND AND to_regclass('pgmq.q_' || centipawn_fleet.queue(in_run)) IS NOT NULL THEN
        PERFORM pgmq.set_vt(centipawn_fleet.queue(in_run), m, pause);
    END IF;
END $$;

-- Renews the leases of the given tasks, and returns those that are still the worker's. Other tasks
-- that are leased to the worker are returned to the queue, because the worker does not know of
-- them: the reply to its request was lost.
CREATE FUNCTION centipawn_fleet.renew(me BIGINT, secret TEXT, runs BIGINT[], tasks INTEGER[], leases INTEGER[])
RETURNS TABLE (run BIGINT, task INTEGER)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    h RECORD;
BEGIN
    PERFORM centipawn_fleet.authenticate(me, secret);
    UPDATE centipawn_fleet.worker SET seen = now() WHERE id = me;
    FOR h IN SELECT t.run, t.number FROM unnest(runs, tasks) AS held(run, number)
        JOIN centipawn_fleet.task t ON t.run = held.run AND t.number = held.number WHERE me = ANY(t.lost)
    LOOP
        PERFORM centipawn_fleet.clear_blame(me, h.run, h.number);
    END LOOP;
    FOR h IN SELECT t.run, t.number FROM centipawn_fleet.task t WHERE t.worker = me AND t.leased < now() - interval '15 seconds'
        AND NOT EXISTS (SELECT FROM unnest(runs, tasks) AS held(run, number) WHERE held.run = t.run AND held.number = t.number)
    LOOP
        PERFORM centipawn_fleet.release(me, h.run, h.number);
    END LOOP;
    FOR h IN SELECT r.id, array_agg(t.number) AS numbers, array_agg(t.message) AS messages
        FROM unnest(runs, tasks, leases) AS held(run, number, lease)
        JOIN centipawn_fleet.task t ON t.run = held.run AND t.number = held.number AND t.worker = me AND t.taken = held.lease
        JOIN centipawn_fleet.run r ON r.id = t.run AND r.state = 'open' GROUP BY r.id
    LOOP
        PERFORM pgmq.set_vt(centipawn_fleet.queue(h.id), h.messages, 60);
        RETURN QUERY SELECT h.id, unnest(h.numbers);
    END LOOP;
END $$;

-- Returns the keys of those games of a task that have an answer. The worker must hold the task.
CREATE FUNCTION centipawn_fleet.known(me BIGINT, secret TEXT, in_run BIGINT, of_task INTEGER) RETURNS SETOF BYTEA
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM centipawn_fleet.authenticate(me, secret);
    RETURN QUERY SELECT a.key FROM centipawn_fleet.task t
        JOIN centipawn_fleet.item i ON i.run = t.run AND i.number BETWEEN t.first AND t.last AND i.task = t.number
        JOIN centipawn_fleet.answer a ON a.key = i.key
        WHERE t.run = in_run AND t.number = of_task AND t.worker = me AND t.state = 'waiting';
END $$;

-- Stores answers to games of a task. Returns the number of new answers.
CREATE FUNCTION centipawn_fleet.store(me BIGINT, t centipawn_fleet.task, keys BYTEA[], documents BYTEA[], digests BYTEA[])
RETURNS INTEGER
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    own BYTEA[];
    stored INTEGER;
BEGIN
    IF coalesce(cardinality(keys), 0) = 0 THEN
        RETURN 0;
    END IF;
    -- A worker may only store answers to games of its task.
    own := ARRAY(SELECT i.key FROM centipawn_fleet.item i WHERE i.run = t.run AND i.number BETWEEN t.first AND t.last AND i.task = t.number);
    -- All workers insert in the same order, so that two workers with the same rows do not deadlock.
    INSERT INTO centipawn_fleet.answer (key, document, digest, worker) SELECT new.key, new.document, new.digest, me
        FROM unnest(keys, documents, digests) AS new(key, document, digest) WHERE new.key = ANY(own) ORDER BY new.key
        ON CONFLICT (key) DO NOTHING;
    GET DIAGNOSTICS stored = ROW_COUNT;
    RETURN stored;
END $$;

-- Stores and counts answers to some games of an unfinished task.
CREATE FUNCTION centipawn_fleet.store_part(me BIGINT, t centipawn_fleet.task, keys BYTEA[], documents BYTEA[], digests BYTEA[])
RETURNS VOID
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    counted INTEGER := least(centipawn_fleet.store(me, t, keys, documents, digests), t.games - t.answered);
BEGIN
    IF counted > 0 THEN
        UPDATE centipawn_fleet.task SET answered = answered + counted WHERE run = t.run AND number = t.number;
        PERFORM centipawn_fleet.add_tally(t.run, me, more_answered => counted);
    END IF;
END $$;

-- Returns the task if this worker holds it, or held it until its lease expired, or finished it.
CREATE FUNCTION centipawn_fleet.held(me BIGINT, secret TEXT, in_run BIGINT, of_task INTEGER) RETURNS centipawn_fleet.task
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    t centipawn_fleet.task;
    was_lost BOOLEAN;
BEGIN
    PERFORM centipawn_fleet.authenticate(me, secret);
    SELECT me = ANY(lost) INTO was_lost FROM centipawn_fleet.task WHERE run = in_run AND number = of_task;
    IF was_lost THEN
        PERFORM centipawn_fleet.clear_blame(me, in_run, of_task);
    END IF;
    SELECT * INTO t FROM centipawn_fleet.task WHERE run = in_run AND number = of_task AND (worker = me OR was_lost OR done_by = me) FOR UPDATE;
    RETURN t;
END $$;

-- Finishes a task. Returns whether it counts: false if another worker finished it first, or if the
-- run was cancelled or deleted.
CREATE FUNCTION centipawn_fleet.finish(me BIGINT, secret TEXT, in_run BIGINT, of_task INTEGER, searched BIGINT, took REAL,
    keys BYTEA[], documents BYTEA[], digests BYTEA[]) RETURNS BOOLEAN
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    t centipawn_fleet.task := centipawn_fleet.held(me, secret, in_run, of_task);
    is_doubled BOOLEAN;
    m BIGINT;
BEGIN
    IF t.run IS NULL OR t.state <> 'waiting' THEN
        -- If this worker has already finished the task, the reply to the commit was lost.
        RETURN coalesce(t.state = 'done' AND t.done_by = me, false);
    END IF;
    -- At most 64 tasks wait for comparison. Otherwise they would accumulate in a fleet of a single
    -- worker.
    SELECT r.check_every > 0 AND random() * r.check_every < 1
        AND (SELECT sum(c.doubles) FROM centipawn_fleet.tally c WHERE c.run = in_run) < 64 INTO is_doubled FROM centipawn_fleet.run r
        WHERE r.id = in_run AND r.state = 'open';
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM centipawn_fleet.store(me, t, keys, documents, digests);
    IF EXISTS (SELECT FROM centipawn_fleet.item i WHERE i.run = in_run AND i.number BETWEEN t.first AND t.last AND i.task = of_task
        AND NOT EXISTS (SELECT FROM centipawn_fleet.answer a WHERE a.key = i.key))
    THEN
        RAISE EXCEPTION 'task % of run % is not done: answers are missing', of_task, in_run;
    END IF;
    is_doubled := is_doubled AND coalesce(cardinality(digests), 0) > 0 AND array_position(digests, NULL) IS NULL;
    -- This is the message of the latest lease, even if another worker holds it: this worker has
    -- finished first.
    m := t.message;
    UPDATE centipawn_fleet.task SET state = 'done', done_by = me, worker = NULL, nodes = searched, seconds = took, reason = NULL, ended = now(),
        lost = '{}', answered = games, doubled = CASE WHEN is_doubled THEN 'wanted' END
        WHERE run = in_run AND number = of_task;
    IF is_doubled THEN
        PERFORM pgmq.set_vt(centipawn_fleet.queue(in_run), m, centipawn_fleet.hidden());
    ELSE
        PERFORM pgmq.delete(centipawn_fleet.queue(in_run), m);
        PERFORM centipawn_fleet.forget_input(t);
    END IF;
    PERFORM centipawn_fleet.add_tally(in_run, me, more_done => 1, more_nodes => searched, more_doubles => is_doubled::int,
        more_answered => t.games - t.answered);
    PERFORM centipawn_fleet.count_pace(in_run, me);
    RETURN true;
END $$;

-- Deletes the input of a finished task, unless another part of the same split task still needs it.
CREATE FUNCTION centipawn_fleet.forget_input(t centipawn_fleet.task) RETURNS VOID
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- Lock the row. Otherwise two parts of a split task that end at the same time would each see
    -- the other as unfinished, and the input would never be deleted.
    IF t.number <> t.source THEN
        PERFORM FROM centipawn_fleet.task WHERE run = t.run AND number = t.source FOR UPDATE;
    END IF;
    DELETE FROM centipawn_fleet.input i WHERE i.run = t.run AND i.number = t.source
        AND (t.number = t.source OR NOT EXISTS (SELECT FROM centipawn_fleet.task o WHERE o.run = t.run AND o.number = t.source
            AND (o.state IN ('waiting', 'parked') OR o.doubled IS NOT NULL)))
        AND NOT EXISTS (SELECT FROM centipawn_fleet.task o WHERE o.run = t.run AND o.source = t.source AND o.source <> o.number
            AND o.number <> t.number AND (o.state IN ('waiting', 'parked') OR o.doubled IS NOT NULL));
END $$;

-- Returns a task to the queue, and stores the answers of its finished games. Other workers can
-- lease it at once.
CREATE FUNCTION centipawn_fleet.give_back(me BIGINT, secret TEXT, in_run BIGINT, of_task INTEGER, lease INTEGER,
    keys BYTEA[], documents BYTEA[], digests BYTEA[]) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    t centipawn_fleet.task := centipawn_fleet.held(me, secret, in_run, of_task);
BEGIN
    IF t.run IS NULL OR t.worker IS DISTINCT FROM me OR t.taken <> lease THEN
        RETURN;
    END IF;
    IF t.state = 'waiting' THEN
        PERFORM centipawn_fleet.store_part(me, t, keys, documents, digests);
    END IF;
    PERFORM centipawn_fleet.release(me, in_run, of_task);
END $$;

-- Records a failure. The task is retried after 10 s, then after 40 s, and is parked after the third
-- failure. Returns whether it is parked.
CREATE FUNCTION centipawn_fleet.fail(me BIGINT, secret TEXT, in_run BIGINT, of_task INTEGER, lease INTEGER, why TEXT,
    keys BYTEA[], documents BYTEA[], digests BYTEA[]) RETURNS BOOLEAN
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    t centipawn_fleet.task := centipawn_fleet.held(me, secret, in_run, of_task);
BEGIN
    IF t.run IS NULL OR t.worker IS DISTINCT FROM me OR t.taken <> lease THEN
        RETURN coalesce(t.state = 'parked', false);
    END IF;
    IF t.state = 'done' THEN
        -- This worker repeats a finished task for comparison. The task has answers, so it has not
        -- failed.
        PERFORM centipawn_fleet.release(me, in_run, of_task);
        RETURN false;
    END IF;
    PERFORM centipawn_fleet.store_part(me, t, keys, documents, digests);
    IF t.failed + 1 >= 3 THEN
        UPDATE centipawn_fleet.task SET failed = failed + 1 WHERE run = in_run AND number = of_task;
        PERFORM centipawn_fleet.park(me, in_run, of_task, t.message, left(why, 2000));
        RETURN true;
    END IF;
    UPDATE centipawn_fleet.task SET failed = failed + 1, worker = NULL, reason = left(why, 2000) WHERE run = in_run AND number = of_task;
    PERFORM pgmq.set_vt(centipawn_fleet.queue(in_run), t.message, (10 * power(4, t.failed))::integer);
    INSERT INTO centipawn_fleet.failure (run, task, worker, reason) VALUES (in_run, of_task, me, left(why, 2000));
    PERFORM centipawn_fleet.add_tally(in_run, me, more_failures => 1);
    RETURN false;
END $$;

-- Ends the comparison of a task.
CREATE FUNCTION centipawn_fleet.end_double(t centipawn_fleet.task, message BIGINT, me BIGINT) RETURNS VOID
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE centipawn_fleet.task SET doubled = NULL, worker = NULL, lost = '{}' WHERE run = t.run AND number = t.number;
    DELETE FROM centipawn_fleet.vote v WHERE v.run = t.run AND v.task = t.number;
    PERFORM pgmq.delete(centipawn_fleet.queue(t.run), message);
    PERFORM centipawn_fleet.forget_input(t);
    PERFORM centipawn_fleet.add_tally(t.run, me, more_doubles => -1);
END $$;

-- Makes workers repeat a finished task. If its input was deleted, a submitter must send the games
-- again.
CREATE FUNCTION centipawn_fleet.redo(t centipawn_fleet.task) RETURNS VOID
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    has_input BOOLEAN := EXISTS (SELECT FROM centipawn_fleet.input i WHERE i.run = t.run AND i.number = t.source);
BEGIN
    IF t.message IS NOT NULL AND t.doubled IS NOT NULL THEN
        PERFORM pgmq.delete(centipawn_fleet.queue(t.run), t.message);
    END IF;
    UPDATE centipawn_fleet.task SET state = CASE WHEN has_input THEN 'waiting' ELSE 'hollow' END, done_by = NULL, worker = NULL,
        message = NULL, taken = 0, failed = 0, returned = 0, lost = '{}', answered = 0, doubled = NULL
        WHERE run = t.run AND number = t.number;
    DELETE FROM centipawn_fleet.vote v WHERE v.run = t.run AND v.task = t.number;
    IF has_input THEN
        PERFORM centipawn_fleet.send(t.run, ARRAY[t.number]);
    END IF;
    PERFORM centipawn_fleet.add_tally(t.run, 0, more_done => -1, more_hollow => CASE WHEN has_input THEN 0 ELSE 1 END,
        more_doubles => CASE WHEN t.doubled IS NULL THEN 0 ELSE -1 END, more_answered => -t.answered);
END $$;

-- Deletes the answers of the worker that finished a task, and makes other workers repeat it.
CREATE FUNCTION centipawn_fleet.retract(t centipawn_fleet.task) RETURNS VOID
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM centipawn_fleet.answer a USING centipawn_fleet.item i WHERE i.run = t.run AND i.number BETWEEN t.first AND t.last
        AND i.task = t.number AND a.key = i.key AND a.worker = t.done_by;
    PERFORM centipawn_fleet.redo(t);
    UPDATE centipawn_fleet.run SET redone = redone + t.games WHERE id = t.run;
END $$;

-- Sets a worker aside that gave a wrong answer at the time `wrong_at`. Its tasks since the last
-- agreement with another worker are repeated. If that agreement is later than the wrong answer, it
-- proves nothing, and all of the worker's tasks are repeated.
CREATE FUNCTION centipawn_fleet.set_aside(wrong BIGINT, why TEXT, wrong_at TIMESTAMPTZ) RETURNS VOID
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    since TIMESTAMPTZ;
    t centipawn_fleet.task;
BEGIN
    UPDATE centipawn_fleet.worker SET aside = why, seen = now() WHERE id = wrong AND aside IS NULL RETURNING agreed INTO since;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF since >= wrong_at THEN
        since := '-infinity';
    END IF;
    FOR t IN SELECT * FROM centipawn_fleet.task o WHERE o.worker = wrong FOR UPDATE LOOP
        PERFORM centipawn_fleet.release(wrong, t.run, t.number);
    END LOOP;
    FOR t IN SELECT o.* FROM centipawn_fleet.task o JOIN centipawn_fleet.run r ON r.id = o.run AND r.state = 'open'
        WHERE o.state = 'done' AND o.done_by = wrong AND o.ended > since FOR UPDATE OF o
    LOOP
        PERFORM centipawn_fleet.retract(t);
    END LOOP;
END $$;

-- Compares the answers of a repeated task with the first ones. Returns 'agrees', 'differs', or
-- 'late' if the comparison is no longer needed.
CREATE FUNCTION centipawn_fleet.compare(me BIGINT, secret TEXT, in_run BIGINT, of_task INTEGER, keys BYTEA[], digests BYTEA[])
RETURNS TEXT
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    t centipawn_fleet.task := centipawn_fleet.held(me, secret, in_run, of_task);
    first_digest BYTEA;
    own_digest BYTEA;
    right_digest BYTEA;
    outvoted BIGINT[];
    wrong BIGINT;
BEGIN
    IF t.run IS NULL OR t.state <> 'done' OR t.doubled IS NULL OR t.worker IS DISTINCT FROM me
        OR NOT EXISTS (SELECT FROM centipawn_fleet.run r WHERE r.id = in_run AND r.state = 'open')
    THEN
        RETURN 'late';
    END IF;
    SELECT sha256(string_agg(x.key || x.digest, ''::bytea ORDER BY x.key)) INTO first_digest FROM (
        SELECT DISTINCT i.key, coalesce(a.digest, '') AS digest FROM centipawn_fleet.item i LEFT JOIN centipawn_fleet.answer a ON a.key = i.key
        WHERE i.run = in_run AND i.number BETWEEN t.first AND t.last AND i.task = of_task) x;
    SELECT sha256(string_agg(x.key || x.digest, ''::bytea ORDER BY x.key)) INTO own_digest FROM (
        SELECT DISTINCT n.key, coalesce(n.digest, '') AS digest FROM unnest(keys, digests) AS n(key, digest)) x;
    IF t.doubled = 'wanted' AND (first_digest = own_digest OR EXISTS (SELECT FROM centipawn_fleet.item i
        LEFT JOIN centipawn_fleet.answer a ON a.key = i.key WHERE i.run = in_run AND i.number BETWEEN t.first AND t.last AND i.task = of_task
        AND (a.digest IS NULL OR a.worker IS DISTINCT FROM t.done_by)))
    THEN
        -- If some answers come from another run, they say nothing about the worker that finished
        -- this task, so the comparison ends too.
        IF first_digest = own_digest THEN
            -- While a dispute about one of the workers is open, an agreement does not count for it.
            UPDATE centipawn_fleet.worker w SET agreed = greatest(w.agreed, CASE WHEN w.id = me THEN now() ELSE t.ended END)
                WHERE w.id IN (t.done_by, me) AND NOT EXISTS (SELECT FROM centipawn_fleet.vote v WHERE v.worker = w.id);
        END IF;
        PERFORM centipawn_fleet.end_double(t, t.message, me);
        RETURN 'agrees';
    END IF;
    INSERT INTO centipawn_fleet.vote (run, task, worker, digest) VALUES (in_run, of_task, me, own_digest),
        (in_run, of_task, t.done_by, first_digest) ON CONFLICT DO NOTHING;
    SELECT v.digest INTO right_digest FROM centipawn_fleet.vote v WHERE v.run = in_run AND v.task = of_task
        GROUP BY v.digest HAVING count(*) >= 2;
    IF NOT FOUND THEN
        IF (SELECT count(*) FROM centipawn_fleet.vote v WHERE v.run = in_run AND v.task = of_task) >= 5 THEN
            PERFORM centipawn_fleet.end_double(t, t.message, me);
        ELSE
            UPDATE centipawn_fleet.task SET doubled = 'disputed', worker = NULL WHERE run = in_run AND number = of_task;
            PERFORM pgmq.set_vt(centipawn_fleet.queue(in_run), t.message, centipawn_fleet.hidden());
        END IF;
        RETURN 'differs';
    END IF;
    outvoted := ARRAY(SELECT v.worker FROM centipawn_fleet.vote v WHERE v.run = in_run AND v.task = of_task AND v.digest <> right_digest);
    IF right_digest = first_digest THEN
        PERFORM centipawn_fleet.end_double(t, t.message, me);
    ELSE
        -- Delete the wrong answers even if their worker was already set aside, or agreed with
        -- another worker since.
        PERFORM centipawn_fleet.retract(t);
    END IF;
    FOREACH wrong IN ARRAY outvoted LOOP
        PERFORM centipawn_fleet.set_aside(wrong, format('worker %s was set aside: two others answered task %s of run %s alike, and it did not; '
            'is its engine or its memory damaged?', wrong, of_task, in_run), CASE WHEN wrong = t.done_by THEN t.ended ELSE now() END);
    END LOOP;
    RETURN CASE WHEN own_digest = right_digest THEN 'agrees' ELSE 'differs' END;
END $$;

-- Records that a worker ended in an orderly way, and returns its tasks to the queue.
CREATE FUNCTION centipawn_fleet.discharge(me BIGINT, secret TEXT) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    h RECORD;
BEGIN
    PERFORM centipawn_fleet.authenticate(me, secret);
    FOR h IN SELECT run, number FROM centipawn_fleet.task WHERE worker = me LOOP
        PERFORM centipawn_fleet.release(me, h.run, h.number);
    END LOOP;
    UPDATE centipawn_fleet.worker SET ended = now(), seen = now() WHERE id = me;
END $$;

-- Repairs a run: retries parked tasks, returns tasks to the queue whose messages are missing, and
-- repeats tasks whose answers are missing.
CREATE FUNCTION centipawn_fleet.repair(in_run BIGINT, OUT again BIGINT, OUT emptied BIGINT)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    t centipawn_fleet.task;
    missing INTEGER[];
    has_input BOOLEAN;
BEGIN
    again := 0;
    emptied := 0;
    PERFORM FROM centipawn_fleet.run WHERE id = in_run AND state = 'open' FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    FOR t IN SELECT * FROM centipawn_fleet.task WHERE run = in_run AND state = 'parked' FOR UPDATE LOOP
        has_input := EXISTS (SELECT FROM centipawn_fleet.input WHERE run = in_run AND number = t.source);
        UPDATE centipawn_fleet.task SET state = CASE WHEN has_input THEN 'waiting' ELSE 'hollow' END, taken = 0, failed = 0, returned = 0,
            lost = '{}', worker = NULL, message = NULL WHERE run = in_run AND number = t.number;
        PERFORM centipawn_fleet.add_tally(in_run, 0, more_parked => -1, more_hollow => CASE WHEN has_input THEN 0 ELSE 1 END);
        IF has_input THEN again := again + 1; ELSE emptied := emptied + 1; END IF;
    END LOOP;
    IF to_regclass('pgmq.q_' || centipawn_fleet.queue(in_run)) IS NULL THEN
        PERFORM centipawn_fleet.create_queue(in_run);
    END IF;
    FOR t IN SELECT o.* FROM centipawn_fleet.task o WHERE o.run = in_run AND o.state = 'waiting'
        AND NOT EXISTS (SELECT FROM centipawn_fleet.input i WHERE i.run = in_run AND i.number = o.source) FOR UPDATE
    LOOP
        UPDATE centipawn_fleet.task SET state = 'hollow', worker = NULL, message = NULL WHERE run = in_run AND number = t.number;
        PERFORM centipawn_fleet.add_tally(in_run, 0, more_hollow => 1);
        emptied := emptied + 1;
    END LOOP;
    EXECUTE format('SELECT array_agg(t.number ORDER BY t.number) FROM centipawn_fleet.task t WHERE t.run = $1 AND t.state = ''waiting'''
        ' AND NOT EXISTS (SELECT FROM pgmq.%I q WHERE (q.message->>''task'')::integer = t.number)', 'q_' || centipawn_fleet.queue(in_run))
        INTO missing USING in_run;
    IF missing IS NOT NULL THEN
        UPDATE centipawn_fleet.task SET message = NULL, worker = NULL WHERE run = in_run AND number = ANY(missing);
        PERFORM centipawn_fleet.send(in_run, missing);
        again := greatest(again, cardinality(missing));
    END IF;
    FOR t IN SELECT * FROM centipawn_fleet.task o WHERE o.run = in_run AND o.state = 'done' AND o.number IN (
        SELECT i.task FROM centipawn_fleet.item i WHERE i.run = in_run AND i.task IS NOT NULL
            AND NOT EXISTS (SELECT FROM centipawn_fleet.answer a WHERE a.key = i.key)) FOR UPDATE
    LOOP
        IF EXISTS (SELECT FROM centipawn_fleet.input WHERE run = in_run AND number = t.source)
            THEN again := again + 1; ELSE emptied := emptied + 1; END IF;
        PERFORM centipawn_fleet.redo(t);
    END LOOP;
END $$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA centipawn_fleet FROM PUBLIC;

-- Use generic plans from the first call on. PostgreSQL would plan the first five calls in each
-- session anew, and a session makes few calls.
ALTER FUNCTION centipawn_fleet.open_run SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION centipawn_fleet.refuse SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION centipawn_fleet.lease SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION centipawn_fleet.renew SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION centipawn_fleet.known SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION centipawn_fleet.finish SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION centipawn_fleet.give_back SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION centipawn_fleet.fail SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION centipawn_fleet.compare SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION centipawn_fleet.discharge SET plan_cache_mode = force_generic_plan;
