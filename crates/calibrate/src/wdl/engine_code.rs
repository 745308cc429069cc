//! Writes a fitted model as source code for an engine.

use std::{fmt::Write as _, path::Path};

use centipawn_core::{Argument, Context, WdlModel};

use super::{Estimate, FitReport};

/// A programming language of the source code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeLanguage {
    /// C++17, as a header.
    Cpp,
    /// C99, as a header.
    C,
    /// Rust, as a module without dependencies.
    Rust,
}

/// The extension of a file is not that of a supported language.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}: code is .hpp, .cpp or .cc (C++), .h or .c (C), or .rs (Rust)")]
pub struct UnknownLanguage(String);

impl CodeLanguage {
    /// The language of a file, by its extension.
    ///
    /// # Errors
    ///
    /// [`UnknownLanguage`], which lists the valid extensions.
    ///
    /// ```
    /// use centipawn_calibrate::wdl::CodeLanguage;
    ///
    /// assert_eq!(CodeLanguage::of("src/wdl.hpp".as_ref()), Ok(CodeLanguage::Cpp));
    /// assert!(CodeLanguage::of("wdl.py".as_ref()).unwrap_err().to_string().starts_with("wdl.py: code is"));
    /// ```
    pub fn of(path: &Path) -> Result<Self, UnknownLanguage> {
        match path
            .extension()
            .and_then(|extension| extension.to_str())
            .map(str::to_lowercase)
            .as_deref()
        {
            Some("hpp" | "cpp" | "cc" | "cxx" | "hh") => Ok(Self::Cpp),
            Some("h" | "c") => Ok(Self::C),
            Some("rs") => Ok(Self::Rust),
            _ => Err(UnknownLanguage(path.display().to_string())),
        }
    }
}

/// The scale of an engine's evaluations. From an evaluation in whole internal units it computes
/// win, draw and loss per mille, and normalised centipawns.
///
/// The functions written by [`code`](Self::code) return the same numbers.
///
/// ```
/// use centipawn_calibrate::wdl::{CodeLanguage, EngineScale};
/// use centipawn_core::{Context, WdlModel};
///
/// let scale = EngineScale::new(WdlModel::stockfish("18").unwrap()).unwrap();
/// let context = Context::default();
/// let [win, draw, loss] = scale.per_mille(200, context);
/// assert_eq!(win + draw + loss, 1000);
/// // A normalised pawn, 385.47 units, wins half of the games.
/// assert!((498..=500).contains(&scale.per_mille(385, context)[0]));
/// assert_eq!(scale.centipawns(385, context), 100);
/// assert!(scale.code(CodeLanguage::Rust, "Engine", &[]).contains("pub fn per_mille"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EngineScale(WdlModel);

impl EngineScale {
    /// Creates the scale of a model. The range is [narrowed](WdlModel::narrowed) to the arguments
    /// where the model is valid and `a` is above 0. `None` if it is invalid even at the anchor.
    pub fn new(model: WdlModel) -> Option<Self> {
        // Normalised centipawns divide by `a`, as normalised pawns do, so the check for those
        // applies.
        let normalised = WdlModel {
            pawn: centipawn_core::Pawn::Normalised,
            ..model
        };
        let narrowed = normalised.narrowed()?;
        Some(Self(WdlModel {
            range: narrowed.range,
            ..model
        }))
    }

    /// Win, draw and loss per mille, which sum to 1000, at an evaluation in internal units from the
    /// mover's side. Win and loss are rounded and the draws get the rest, as in Stockfish.
    pub fn per_mille(&self, units: i32, context: Context) -> [i32; 3] {
        let (a, b) = self.0.parameters(context);
        let value = f64::from(units);
        let rate = |value: f64| (0.5 + 1000.0 / (1.0 + ((a - value) / b).exp())) as i32;
        let win = rate(value);
        let loss = rate(-value).min(1000 - win);
        [win, 1000 - win - loss, loss]
    }

    /// Normalised centipawns of an evaluation in internal units: at 100 the mover wins half of the
    /// games with this material or at this move. Halves are rounded away from 0.
    pub fn centipawns(&self, units: i32, context: Context) -> i32 {
        (100.0 * f64::from(units) / self.0.parameters(context).0).round() as i32
    }

    /// Writes source code of functions that return the same numbers. `engine` is the name of the
    /// engine; `notes` become comments. Coefficients have as many digits as exact equality needs.
    pub fn code(&self, language: CodeLanguage, engine: &str, notes: &[String]) -> String {
        let mut out = String::new();
        let (argument, meaning) = match self.0.argument {
            Argument::Material => (
                "material",
                "material of both sides: pawn 1, knight and bishop 3, rook 5, queen 9",
            ),
            Argument::Move => (
                "ply",
                "plies since the start of the game, 0 before White's first move",
            ),
            Argument::Ply => ("ply", "plies since the start of the game"),
        };
        let mut comment = |text: &str| {
            let text: String = text
                .chars()
                .map(|char| {
                    if char.is_control() || char == '\\' {
                        '?'
                    } else {
                        char
                    }
                })
                .collect();
            let _ = writeln!(out, "{}", format!("// {text}").trim_end());
        };
        comment(&format!(
            "Win, draw and loss of {engine}'s evaluations. Written by centipawn {}.",
            env!("CARGO_PKG_VERSION")
        ));
        notes
            .iter()
            .flat_map(|note| in_lines(note))
            .for_each(|line| comment(&line));
        comment("");
        comment(
            "value: the search's score in internal units, from the view of the side to move; not for mate scores.",
        );
        comment(&format!("{argument}: {meaning}."));
        let parts = Parts {
            scale: self,
            argument,
        };
        out += &match language {
            CodeLanguage::Cpp => parts.cpp(),
            CodeLanguage::C => parts.c(),
            CodeLanguage::Rust => parts.rust(),
        };
        out
    }
}

/// The parts of the source code that the languages have in common.
struct Parts<'a> {
    scale: &'a EngineScale,
    argument: &'static str,
}

impl Parts<'_> {
    /// The argument as a floating-point number, and the ends of its range.
    fn bounds(&self) -> [String; 2] {
        self.scale.0.range.map(number)
    }

    /// A cubic in Horner's form: `((c3 * m + c2) * m + c1) * m + c0`.
    fn cubic(coefficients: [f64; 4]) -> String {
        let [c3, c2, c1, c0] = coefficients.map(number);
        format!("(({c3} * m + {c2}) * m + {c1}) * m + {c0}")
    }

    fn divisor(&self) -> String {
        number(self.scale.0.divisor)
    }

    fn cpp(&self) -> String {
        let Self { argument, .. } = self;
        let [least, most] = self.bounds();
        let (a, b, divisor) = (
            Self::cubic(self.scale.0.a),
            Self::cubic(self.scale.0.b),
            self.divisor(),
        );
        let own = match self.scale.0.argument {
            Argument::Move => format!("{argument} / 2.0 + 1.0"),
            _ => format!("double({argument})"),
        };
        format!(
            "#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace wdl {{

struct Params {{
    double a, b;
}};

// The evaluation that wins half of the games, and the width of the curve, in internal units.
inline Params params(int {argument}) {{
    const double m = std::clamp({own}, {least}, {most}) / {divisor};
    return {{{a},
            {b}}};
}}

// Win, draw and loss per mille, for `info ... wdl W D L` (UCI_ShowWDL).
inline std::array<int, 3> per_mille(int value, int {argument}) {{
    const auto [a, b] = params({argument});
    const int win  = int(0.5 + 1000.0 / (1.0 + std::exp((a - value) / b)));
    const int loss = std::min(int(0.5 + 1000.0 / (1.0 + std::exp((a + value) / b))), 1000 - win);
    return {{win, 1000 - win - loss, loss}};
}}

// Normalised centipawns, for `info ... score cp`: 100 wins half of the games.
inline int centipawns(int value, int {argument}) {{
    return int(std::round(100.0 * value / params({argument}).a));
}}

}}  // namespace wdl
"
        )
    }

    fn c(&self) -> String {
        let Self { argument, .. } = self;
        let [least, most] = self.bounds();
        let (a, b, divisor) = (
            Self::cubic(self.scale.0.a),
            Self::cubic(self.scale.0.b),
            self.divisor(),
        );
        let own = match self.scale.0.argument {
            Argument::Move => format!("{argument} / 2.0 + 1.0"),
            _ => format!("(double) {argument}"),
        };
        format!(
            "#ifndef WDL_H
#define WDL_H

#include <math.h>

// The evaluation that wins half of the games, and the width of the curve, in internal units.
static inline void wdl_params(int {argument}, double *a, double *b) {{
    const double m = fmin(fmax({own}, {least}), {most}) / {divisor};
    *a = {a};
    *b = {b};
}}

// Win, draw and loss per mille, for `info ... wdl W D L` (UCI_ShowWDL).
static inline void wdl_per_mille(int value, int {argument}, int wdl[3]) {{
    double a, b;
    wdl_params({argument}, &a, &b);
    const int win  = (int) (0.5 + 1000.0 / (1.0 + exp((a - value) / b)));
    const int loss = (int) (0.5 + 1000.0 / (1.0 + exp((a + value) / b)));
    wdl[0] = win;
    wdl[2] = loss < 1000 - win ? loss : 1000 - win;
    wdl[1] = 1000 - win - wdl[2];
}}

// Normalised centipawns, for `info ... score cp`: 100 wins half of the games.
static inline int wdl_centipawns(int value, int {argument}) {{
    double a, b;
    wdl_params({argument}, &a, &b);
    return (int) round(100.0 * value / a);
}}

#endif
"
        )
    }

    fn rust(&self) -> String {
        let Self { argument, .. } = self;
        let [least, most] = self.bounds();
        let (a, b, divisor) = (
            Self::cubic(self.scale.0.a),
            Self::cubic(self.scale.0.b),
            self.divisor(),
        );
        let own = match self.scale.0.argument {
            Argument::Move => format!("(f64::from({argument}) / 2.0 + 1.0)"),
            _ => format!("f64::from({argument})"),
        };
        format!(
            "
/// The evaluation that wins half of the games, and the width of the curve, in internal units.
pub fn params({argument}: i32) -> (f64, f64) {{
    let m = {own}.clamp({least}, {most}) / {divisor};
    let a = {a};
    let b = {b};
    (a, b)
}}

/// Win, draw and loss per mille, for `info ... wdl W D L` (UCI_ShowWDL).
pub fn per_mille(value: i32, {argument}: i32) -> [i32; 3] {{
    let (a, b) = params({argument});
    let value = f64::from(value);
    let win = (0.5 + 1000.0 / (1.0 + ((a - value) / b).exp())) as i32;
    let loss = ((0.5 + 1000.0 / (1.0 + ((a + value) / b).exp())) as i32).min(1000 - win);
    [win, 1000 - win - loss, loss]
}}

/// Normalised centipawns, for `info ... score cp`: 100 wins half of the games.
pub fn centipawns(value: i32, {argument}: i32) -> i32 {{
    (100.0 * f64::from(value) / params({argument}).0).round() as i32
}}
"
        )
    }
}

/// Formats a number with as many digits as are needed to read the same number again. Negative
/// numbers get parentheses.
fn number(value: f64) -> String {
    if value.is_sign_negative() {
        format!("({value:?})")
    } else {
        format!("{value:?}")
    }
}

impl FitReport {
    /// The scale of the fitted model; `None` unless `a` and `b` are cubics of one argument that
    /// form a valid model.
    pub(crate) fn engine_scale(&self) -> Option<EngineScale> {
        EngineScale::new(self.fit.model()?)
    }

    /// Source code of the fitted scale, with the games, positions and errors of the fit as
    /// comments; `None` if the fit has no model with a scale.
    pub fn engine_code(&self, language: CodeLanguage, engine: &str) -> Option<String> {
        let scale = self.engine_scale()?;
        let positions = self.fit.retained.iter().sum::<f64>();
        let games = self
            .games
            .map(|games| format!(" of {games} games"))
            .unwrap_or_default();
        let pawn = self.fit.normalize_to_pawn_value();
        let sure = self.uncertainty.as_ref();
        let error = sure.map(|sure| {
            format!(
                " (standard error {:.1})",
                sure.normalize_to_pawn_value.error
            )
        });
        let error = error.unwrap_or_default();
        let by = self.fit.options.selection.by.name();
        let mut notes = vec![format!(
            "Fitted to {positions:.0} positions{games}; at {by} {}, {pawn:.1}{error} units win half of the games.",
            self.fit.options.target
        )];
        if let Some(needed) = self.needed_games() {
            notes.push(format!(
                "For a standard error of {} it needs {needed}.",
                needed.error
            ));
        }
        if let Some(sure) = sure {
            let interval = |name: &str, estimate: Estimate, digits: usize| {
                let Estimate {
                    error,
                    interval: (low, high),
                    ..
                } = estimate;
                format!("{name} ± {error:.digits$} ({low:.digits$} to {high:.digits$})")
            };
            notes.push(format!(
                "Standard errors and 95 % intervals of {} resamples by game: {}, {}, {}.",
                sure.resamples,
                interval("NormalizeToPawnValue", sure.normalize_to_pawn_value, 1),
                interval("spread", sure.spread, 1),
                interval("draw rate at 0.00", sure.draw_rate, 4)
            ));
        }
        let [least, most] = scale.0.range;
        if self
            .fit
            .model()
            .is_some_and(|model| model.range != scale.0.range)
        {
            notes.push(format!(
                "Valid for {by} {least} to {most}; beyond, the nearest of the two counts."
            ));
        }
        notes.extend(
            self.cautions()
                .into_iter()
                .map(|(name, text)| format!("{name}: {text}.")),
        );
        Some(scale.code(language, engine, &notes))
    }
}

/// Breaks a note into lines of a comment.
fn in_lines(text: &str) -> Vec<String> {
    /// Width of a line in columns, without its `// `.
    const WIDTH: usize = 97;
    let mut lines = vec![String::new()];
    // Names of engines come from files. A line break in a name must not end the comment.
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(last)
                if last.is_empty() || last.chars().count() + word.chars().count() < WIDTH =>
            {
                if !last.is_empty() {
                    last.push(' ');
                }
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use centipawn_core::Pawn;

    use super::*;

    #[test]
    fn names_cannot_end_a_comment() {
        let scale = EngineScale::new(WdlModel::default()).unwrap();
        let code = scale.code(CodeLanguage::C, "Evil\nint x; \\", &["a note\r".to_owned()]);
        assert!(
            code.starts_with("// Win, draw and loss of Evil?int x; ?'s evaluations"),
            "{code}"
        );
        assert!(code.contains("// a note\n"));
    }

    #[test]
    fn a_normalised_pawn_wins_half_of_the_games() {
        let scale = EngineScale::new(WdlModel::default()).unwrap();
        for material in [17, 40, 58, 78] {
            let context = Context {
                material,
                ..Context::default()
            };
            let units = WdlModel::default().parameters(context).0.round() as i32;
            assert_eq!(scale.centipawns(units, context), 100);
            assert!((scale.per_mille(units, context)[0] - 500).abs() <= 3);
            assert_eq!(
                scale.per_mille(-units, context)[2],
                scale.per_mille(units, context)[0]
            );
        }
    }

    #[test]
    fn a_model_without_draws_has_no_negative_draws() {
        let model = WdlModel {
            a: [0.0, 0.0, 0.0, 1e-6],
            b: [0.0, 0.0, 0.0, 100.0],
            pawn: Pawn::Units(100.0),
            ..WdlModel::default()
        };
        let scale = EngineScale::new(model).unwrap();
        for units in -300..=300 {
            let wdl = scale.per_mille(units, Context::default());
            assert!(
                wdl.iter().all(|rate| *rate >= 0) && wdl.iter().sum::<i32>() == 1000,
                "{units}: {wdl:?}"
            );
        }
        // If no evaluation wins half of the games, there is no normalised centipawn.
        assert_eq!(
            EngineScale::new(WdlModel {
                a: [0.0, 0.0, 0.0, -5.0],
                ..model
            }),
            None
        );
    }
}
