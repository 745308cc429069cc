//! Whether the database answers, as the requests of this process show.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// A worker asks the database at least every 20 s. A request that hangs neither succeeds nor fails.
const SILENT: Duration = Duration::from_secs(60);

/// The last answer of the database, and whether a request has failed since.
#[derive(Debug)]
pub(crate) struct Pulse(Mutex<Last>);

#[derive(Debug)]
struct Last {
    answer: Instant,
    failure: Option<Instant>,
}

impl Default for Pulse {
    fn default() -> Self {
        Self(Mutex::new(Last { answer: Instant::now(), failure: None }))
    }
}

impl Pulse {
    /// Notes that a request succeeded.
    pub(crate) fn answers(&self) {
        *self.last() = Last { answer: Instant::now(), failure: None };
    }

    /// Notes that a request failed, and will be tried again.
    pub(crate) fn fails(&self) {
        self.last().failure.get_or_insert_with(Instant::now);
    }

    /// Why the database cannot be used now: the last request failed, or no request has had an answer lately.
    pub(crate) fn check(&self) -> Result<(), String> {
        let Last { answer, failure } = *self.last();
        match failure {
            Some(failure) => {
                Err(format!("requests to the fleet's database have failed for {} s", failure.elapsed().as_secs()))
            }
            None if answer.elapsed() > SILENT => {
                Err(format!("the fleet's database has not answered for {} s", answer.elapsed().as_secs()))
            }
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
        assert_eq!(pulse.check().unwrap_err(), "requests to the fleet's database have failed for 0 s");
        pulse.answers();
        assert_eq!(pulse.check(), Ok(()));
        pulse.last().answer = Instant::now().checked_sub(2 * SILENT).unwrap();
        assert_eq!(pulse.check().unwrap_err(), "the fleet's database has not answered for 120 s");
    }
}
