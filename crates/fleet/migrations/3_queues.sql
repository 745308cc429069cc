-- Queues for the runs under way, which had none before version 3.
DO $$
DECLARE
    r RECORD;
    begun INTEGER;
    tasks INTEGER[];
BEGIN
    FOR r IN SELECT id FROM centipawn_fleet.run WHERE state <> 'cancelled' ORDER BY id LOOP
        PERFORM centipawn_fleet.create_queue(r.id);
        begun := 0;
        LOOP
            tasks := ARRAY(SELECT number FROM centipawn_fleet.task WHERE run = r.id AND number > begun AND state = 'waiting'
                ORDER BY number LIMIT 10000);
            EXIT WHEN tasks = '{}';
            PERFORM centipawn_fleet.send(r.id, tasks);
            begun := tasks[cardinality(tasks)];
        END LOOP;
    END LOOP;
END $$;
