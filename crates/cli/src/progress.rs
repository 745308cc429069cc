//! One line that says how far long work is, on standard error.

use std::{
    fmt,
    io::{IsTerminal as _, Write as _},
    sync::Arc,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use serde_json::json;

use crate::{games::Problems, terminal::ProgressKind};

/// How often JSON lines come.
const JSON_EVERY: Duration = Duration::from_secs(1);

/// Progress in positions; the total may become known later.
pub(crate) struct Progress {
    kind: ProgressKind,
    bar: ProgressBar,
    begin: Instant,
    reported: Instant,
    games: u64,
}

impl Progress {
    pub(crate) fn new(kind: ProgressKind, quiet: bool) -> Self {
        let bar = bar(kind, quiet).with_style(style(false));
        let begin = Instant::now();
        Self { kind, bar, begin, reported: begin, games: 0 }
    }

    /// One more position is done.
    pub(crate) fn position(&mut self) {
        self.bar.inc(1);
        self.report(false);
    }

    /// A game is done.
    pub(crate) fn game(&mut self, title: &str) {
        self.games += 1;
        self.bar.set_message(title.to_owned());
        self.report(false);
    }

    /// A place to report problems to, which prints them without tearing the line.
    pub(crate) fn problems(&self) -> Arc<Problems> {
        let bar = self.bar.clone();
        Problems::new(move |line| bar.suspend(|| anstream::eprintln!("{line}")))
    }

    /// Prints something without tearing the line.
    pub(crate) fn suspend<R>(&self, print: impl FnOnce() -> R) -> R {
        self.bar.suspend(print)
    }

    pub(crate) fn finish(&mut self) {
        self.report(true);
        self.bar.finish_and_clear();
    }

    fn report(&mut self, last: bool) {
        if self.kind != ProgressKind::Json || !(last || self.reported.elapsed() >= JSON_EVERY) {
            return;
        }
        self.reported = Instant::now();
        let (done, seconds) = (self.bar.position(), self.begin.elapsed().as_secs_f64());
        let rate = done as f64 / seconds.max(1e-9);
        let total = self.bar.length();
        let eta = total.map(|total| total.saturating_sub(done) as f64 / rate.max(1e-9));
        let line = json!({
            "done": done, "total": total, "unit": "positions", "games": self.games,
            "seconds": seconds, "rate": rate, "eta_seconds": eta, "current": self.bar.message(),
        });
        // Nobody may be listening any more.
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}

fn bar(kind: ProgressKind, quiet: bool) -> ProgressBar {
    let shown = !quiet && kind == ProgressKind::Auto && std::io::stderr().is_terminal();
    let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    ProgressBar::with_draw_target(None, target)
}

fn style(total_known: bool) -> ProgressStyle {
    let template = if total_known {
        "{bar:24} {pos}/{len} positions, {rate}, {eta} left  {wide_msg}"
    } else {
        "{spinner} {pos} positions, {rate}  {wide_msg}"
    };
    with_template(template)
}

fn with_template(template: &str) -> ProgressStyle {
    let rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
        let _ = write!(out, "{:.1}/s", state.per_sec());
    };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()).with_key("rate", rate)
}
