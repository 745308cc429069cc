//! Progress and problems on standard error: a progress line, or JSON lines.

use std::{
    borrow::Cow,
    fmt,
    io::{self, IsTerminal as _, Write as _},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use centipawn_progress::{
    Cancel, Outcome, Problem, Progress, Reporter, Severity, Unit, standard_output,
    text::{for_terminal, printable},
};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use serde::Serialize;
use terminal_size::{Width, terminal_size_of};

use crate::{flags::with_flags, text::printable_lines};

/// `--progress`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressKind {
    /// A line on a terminal, nothing elsewhere
    #[default]
    Auto,
    /// JSON lines on standard error: progress, problems, a summary
    Json,
    None,
}

/// Interval between JSON lines of progress.
const JSON_EVERY: Duration = Duration::from_secs(1);

/// The command line's [`Reporter`].
pub(crate) struct Terminal {
    kind: ProgressKind,
    bar: ProgressBar,
    begin: Instant,
    shown: Mutex<Shown>,
    /// Standard output, once something is printed.
    out: Mutex<Option<Box<dyn io::Write + Send>>>,
    cancel: Cancel,
}

/// The last progress shown.
struct Shown {
    progress: Option<Progress>,
    at: Instant,
    style: Option<(Unit, bool)>,
}

/// A line of `--progress json`.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Event<'a> {
    Progress {
        #[serde(flatten)]
        progress: &'a Progress,
        seconds: f64,
        rate: f64,
        eta_seconds: Option<f64>,
    },
    Problem(&'a Problem),
    Summary {
        #[serde(flatten)]
        outcome: Outcome,
        seconds: f64,
    },
}

impl Terminal {
    pub(crate) fn new(kind: ProgressKind, quiet: bool, cancel: Cancel) -> Self {
        let is_drawn = !quiet && kind == ProgressKind::Auto && io::stderr().is_terminal();
        let target = if is_drawn {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let begin = Instant::now();
        let shown = Mutex::new(Shown {
            progress: None,
            at: begin,
            style: None,
        });
        let bar = ProgressBar::with_draw_target(None, target);
        Self {
            kind,
            bar,
            begin,
            shown,
            out: Mutex::default(),
            cancel,
        }
    }

    /// Prints on standard output without tearing the progress line. A terminal gets no control
    /// characters from file contents or engines. If the reader of a pipe stalls, printing ends soon
    /// after a cancel.
    pub(crate) fn print(&self, text: &str) -> io::Result<()> {
        // Skip the filter for texts without colours, such as JSON documents: it examines every
        // byte, which takes longer than formatting the document.
        let has_colours = text.contains('\x1b');
        if io::stdout().is_terminal() {
            let text = for_terminal(text);
            return self.bar.suspend(|| match has_colours {
                true => anstream::stdout().write_all(text.as_bytes()),
                false => io::stdout().write_all(text.as_bytes()),
            });
        }
        let keeps_colours =
            || anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
        let text: Cow<'_, str> = match has_colours && !keeps_colours() {
            true => anstream::adapter::strip_str(text).to_string().into(),
            false => text.into(),
        };
        self.bar.suspend(|| {
            let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
            let out = out.get_or_insert_with(|| standard_output(&self.cancel));
            out.write_all(text.as_bytes())?;
            out.flush()
        })
    }

    /// Runs `write`, which writes to the terminal, without tearing the progress line.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Prints a line on standard error without tearing the progress line. Errors are ignored, so
    /// that a log on a full disk does not stop the work.
    pub(crate) fn note(&self, line: &str) {
        // Remove control characters, because a note may quote an engine or a file. Notes have no
        // colours.
        let line = printable_lines(line);
        self.bar
            .suspend(|| drop(writeln!(anstream::stderr(), "{line}")));
    }

    /// Removes the progress line.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Ends the output: with `--progress json`, prints the last progress and a summary.
    pub(crate) fn finish(&self, outcome: Outcome) {
        self.clear();
        if self.kind == ProgressKind::Json {
            let last = self.shown().progress.take();
            last.iter()
                .for_each(|progress| self.json_progress(progress));
            self.json(&Event::Summary {
                outcome,
                seconds: self.begin.elapsed().as_secs_f64(),
            });
        }
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn json_progress(&self, progress: &Progress) {
        let seconds = self.begin.elapsed().as_secs_f64();
        let rate = progress.done as f64 / seconds.max(1e-9);
        let left = progress
            .total
            .map(|total| total.saturating_sub(progress.done) as f64);
        let eta_seconds = left.filter(|_| progress.done > 0).map(|left| left / rate);
        self.json(&Event::Progress {
            progress,
            seconds,
            rate,
            eta_seconds,
        });
    }

    fn json(&self, event: &Event<'_>) {
        if let Ok(line) = serde_json::to_string(event) {
            // Ignore errors: the reader may have closed standard error.
            let _ = writeln!(io::stderr(), "{line}");
        }
    }
}

impl Reporter for Terminal {
    fn progress(&self, progress: &Progress) {
        let mut shown = self.shown();
        match self.kind {
            ProgressKind::None => {}
            ProgressKind::Json => {
                let is_due = shown.at.elapsed() >= JSON_EVERY;
                shown.progress = Some(progress.clone());
                if is_due {
                    shown.at = Instant::now();
                    drop(shown);
                    self.json_progress(progress);
                }
            }
            ProgressKind::Auto => {
                let style = (progress.unit, progress.total.is_some());
                if shown.style != Some(style) {
                    shown.style = Some(style);
                    self.bar
                        .set_style(bar_style(progress.unit, progress.total.is_some()));
                }
                if let Some(total) = progress
                    .total
                    .filter(|total| self.bar.length() != Some(*total))
                {
                    self.bar.set_length(total);
                }
                self.bar.set_position(progress.done);
                self.bar.set_message(match progress.unit {
                    Unit::Bytes => {
                        format!("{} games  {}", progress.games, printable(&progress.label))
                    }
                    _ => printable(&progress.label),
                });
            }
        }
    }

    fn problem(&self, problem: &Problem) {
        if self.kind == ProgressKind::Json {
            return self.json(&Event::Problem(problem));
        }
        let severity = match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        self.note(&format!(
            "{severity}: {}",
            printable(&with_flags(&problem.to_string()))
        ));
    }
}

/// Returns the width of answers on standard output, in columns: [`shown_columns`], else 80.
pub(crate) fn columns() -> usize {
    shown_columns().unwrap_or(80)
}

/// Returns the width of the terminal, in columns: `$COLUMNS`, else the terminal's size, limited to
/// 40 to 120, beyond which text is hard to read. `None` if both are unknown.
pub(crate) fn shown_columns() -> Option<usize> {
    let given = std::env::var("COLUMNS")
        .ok()
        .and_then(|text| text.trim().parse().ok());
    let measured = || terminal_size_of(io::stdout()).map(|(Width(columns), _)| columns.into());
    given
        .or_else(measured)
        .map(|columns: usize| columns.clamp(40, 120))
}

fn bar_style(unit: Unit, is_total_known: bool) -> ProgressStyle {
    let name = unit.name();
    let template = match (unit, is_total_known) {
        (Unit::Bytes, true) => {
            "{bar:24} {bytes}/{total_bytes}, {binary_bytes_per_sec}, {eta} left  {wide_msg}"
                .to_owned()
        }
        (Unit::Bytes, false) => "{spinner} {bytes}, {binary_bytes_per_sec}  {wide_msg}".to_owned(),
        (_, true) => {
            format!("{{bar:24}} {{pos}}/{{len}} {name}, {{rate}}, {{eta}} left  {{wide_msg}}")
        }
        (_, false) => format!("{{spinner}} {{pos}} {name}, {{rate}}  {{wide_msg}}"),
    };
    let rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
        let _ = write!(out, "{:.1}/s", state.per_sec());
    };
    ProgressStyle::with_template(&template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("rate", rate)
}
