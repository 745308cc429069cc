-- Several servers may share a store, and each job is done by one of them. `holder`: which server; `held_until`: until when, unless it
-- renews that, in seconds since 1970 by the database's clock.
ALTER TABLE job ADD COLUMN holder TEXT;
ALTER TABLE job ADD COLUMN held_until BIGINT NOT NULL DEFAULT 0;
-- How many puzzles mining found; up to version 4 that was a text in `settings`.
ALTER TABLE job ADD COLUMN puzzles BIGINT;
UPDATE job SET puzzles = CAST(settings AS BIGINT), settings = NULL WHERE state = 1 AND settings IS NOT NULL AND recipe LIKE '{"recipe":"mine"%';
