-- A review may belong to several batches, requested by several users. `ended`: the state in which the job ended (src/jobs.rs) before
-- another user requested it again; this batch does not go on with it.
CREATE TABLE batch_job (
    batch BIGINT NOT NULL REFERENCES batch (id),
    job BIGINT NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    ended BIGINT,
    PRIMARY KEY (batch, job)
){by_key};
CREATE INDEX batch_job_of_job ON batch_job (job);
INSERT INTO batch_job (batch, job) SELECT batch, id FROM job WHERE batch IS NOT NULL;

-- 1 if an open job was requested by itself, so that it stays when its batches are cancelled.
ALTER TABLE job ADD COLUMN alone BIGINT NOT NULL DEFAULT 0;
UPDATE job SET alone = 1 WHERE batch IS NULL AND state = 0;
DROP INDEX job_of_batch;
ALTER TABLE job DROP COLUMN batch;

-- The server that works on a batch, as for a job: other servers show that it runs.
ALTER TABLE batch ADD COLUMN holder TEXT;
ALTER TABLE batch ADD COLUMN held_until BIGINT NOT NULL DEFAULT 0;
