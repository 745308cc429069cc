-- What a worker leases at once is a task.
ALTER TABLE centipawn_fleet.portion RENAME TO task;
ALTER INDEX centipawn_fleet.portion_waiting RENAME TO task_waiting;
ALTER INDEX centipawn_fleet.portion_pkey RENAME TO task_pkey;
ALTER TABLE centipawn_fleet.item RENAME COLUMN portion TO task;
ALTER TABLE centipawn_fleet.failure RENAME COLUMN portion TO task;
