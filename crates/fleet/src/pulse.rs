//! The state of the database connection, derived from the requests of this process.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// A worker sends a request at least every 20 s, so a longer silence means that a request hangs.
const SILENT: Duration = Duration::from_secs(60);

/// Time of the last successful request, and of the first failure since then.
#[derive(Debug)]
pub(crate) struct Pulse(Mutex<Last>);

#[derive(Debug)]
struct Last {
    answer: Instant,
    failure: Option<Instant>,
}

impl Default for Pulse {
    fn default() -> Self {
        Self(Mutex::new(Last {
            answer: Instant::now(),
            failure: None,
        }))
    }
}

impl Pulse {
    /// Records that a request succeeded.
    pub(crate) fn answers(&self) {
        *self.last() = Last {
            answer: Instant::now(),
            failure: None,
        };
    }

    /// Records that a request failed and will be retried.
    pub(crate) fn fails(&self) {
        self.last().failure.get_or_insert_with(Instant::now);
    }

    /// Returns an error if the last request failed, or if no request has succeeded within
    /// [`SILENT`].
    pub(crate) fn check(&self) -> Result<(), String> {
        let Last { answer, failure } = *self.last();
        match failure {
            Some(failure) => Err(format!(
                "requests to the fleet's database have failed for {} s",
                failure.elapsed().as_secs()
            )),
            None if answer.elapsed() > SILENT => Err(format!(
                "the fleet's database has not answered for {} s",
                answer.elapsed().as_secs()
            )),
            None => Ok(()),
        }
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_counts_until_the_next_answer() {
        let pulse = Pulse::default();
        assert_eq!(pulse.check(), Ok(()));
        pulse.fails();
        assert_eq!(
            pulse.check().unwrap_err(),
            "requests to the fleet's database have failed for 0 s"
        );
        pulse.answers();
        assert_eq!(pulse.check(), Ok(()));
        pulse.last().answer = Instant::now().checked_sub(2 * SILENT).unwrap();
        assert_eq!(
            pulse.check().unwrap_err(),
            "the fleet's database has not answered for 120 s"
        );
    }
}
