//! Reads the model in Stockfish's source code.

use centipawn_core::{Argument, InvalidCurve, Pawn, WdlModel};

/// Why no model can be read from a source file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The coefficients are missing or not four numbers.
    #[error(
        "there is no line `double {name}[] = {{…}};` with four numbers, as Stockfish's src/uci.cpp has had since version 12"
    )]
    Coefficients {
        /// Name of the coefficients, `as` or `bs`.
        name: &'static str,
    },
    /// The line with the argument of the coefficients has an unknown form. The value is the text of
    /// that line.
    #[error(
        "`double m = {0};` is not understood: it should clamp material, move or ply, and divide by a number"
    )]
    Argument(String),
    /// The coefficients depend on the move, but the size of a pawn is missing.
    #[error(
        "there is no line `NormalizeToPawnValue = …`, which versions 15.1 to 16.1 have in src/uci.h or src/uci.cpp"
    )]
    Pawn,
    /// The numbers are not a valid model.
    #[error("the model makes no sense: {0}")]
    Invalid(#[from] InvalidCurve),
}

/// Reads the model of a Stockfish release or revision from its `src/uci.cpp`. For versions 15.1 to
/// 16, `header` must be `src/uci.h`, which defines the size of a pawn.
///
/// # Errors
///
/// [`SourceError`], if the text has no model, or one in an unknown form.
///
/// ```
/// use centipawn_calibrate::wdl::stockfish_model;
///
/// let source = "    double m = std::clamp(material, 17, 78) / 58.0;\n\
///                   constexpr double as[] = {-72.32565836, 185.93832038, -144.58862193, 416.44950446};\n\
///                   constexpr double bs[] = {83.86794042, -136.06112997, 69.98820887, 47.62901433};\n";
/// let model = stockfish_model(source, "")?;
/// assert_eq!(model.a.iter().sum::<f64>().round(), 385.0);
/// # Ok::<_, centipawn_calibrate::wdl::SourceError>(())
/// ```
pub fn stockfish_model(source: &str, header: &str) -> Result<WdlModel, SourceError> {
    let (a, b) = (coefficients(source, "as")?, coefficients(source, "bs")?);
    let (argument, range, divisor) = argument(source)?;
    let pawn = match (pawn_value(source).or_else(|| pawn_value(header)), argument) {
        (Some(units), _) => Pawn::Units(units),
        (None, Argument::Material) => Pawn::Normalised,
        // Before 15.1 the model was in printed centipawns.
        (None, _) if source.contains("PawnValueEg") => Pawn::Units(100.0),
        (None, _) => return Err(SourceError::Pawn),
    };
    let model = WdlModel {
        argument,
        range,
        divisor,
        a,
        b,
        pawn,
        clamp: clamp(source),
    };
    model.check()?;
    Ok(model)
}

/// Returns the text between `start` and `end`. Blanks may differ in number from those of `start`.
fn between<'a>(text: &'a str, start: &str, end: char) -> Option<&'a str> {
    let mut rest = text;
    let mut words = start.split(' ');
    // The first word may be anywhere; the others must follow directly.
    let first = words.next()?;
    loop {
        rest = &rest[rest.find(first)? + first.len()..];
        let mut here = rest.trim_start();
        if words.clone().all(|word| {
            here.strip_prefix(word)
                .map(|after| here = after.trim_start())
                .is_some()
        }) {
            return here.split_once(end).map(|(inside, _)| inside);
        }
    }
}

fn coefficients(source: &str, name: &'static str) -> Result<[f64; 4], SourceError> {
    let list = between(source, &format!("double {name}[] = {{"), '}');
    let numbers = list.and_then(|list| {
        list.split(',')
            .map(|part| part.trim().parse().ok())
            .collect::<Option<Vec<f64>>>()
    });
    numbers
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or(SourceError::Coefficients { name })
}

/// Returns argument, range and divisor, from a line such as `double m = std::clamp(material, 17,
/// 78) / 58.0;`.
fn argument(source: &str) -> Result<(Argument, [f64; 2], f64), SourceError> {
    let written = between(source, "double m =", ';')
        .unwrap_or_default()
        .trim();
    let plain: String = written
        .chars()
        .filter(|char| !char.is_whitespace())
        .collect();
    let read = || {
        let (limits, divisor) = plain.rsplit_once('/')?;
        let divisor = divisor
            .trim_end_matches(')')
            .parse()
            .ok()
            .filter(|divisor| *divisor > 0.0)?;
        let (function, limits) = limits.trim_start_matches('(').split_once('(')?;
        let parts: Vec<&str> = limits.trim_end_matches(')').split(',').collect();
        let number = |text: &str| text.parse::<f64>().ok();
        match (function, &parts[..]) {
            ("std::min", [most, "ply"]) => Some((Argument::Ply, [0.0, number(most)?], divisor)),
            ("std::clamp", [name, low, high]) => {
                let argument = match *name {
                    "material" => Argument::Material,
                    "ply/2+1" | "fullmove" => Argument::Move,
                    _ => return None,
                };
                Some((argument, [number(low)?, number(high)?], divisor))
            }
            _ => None,
        }
    };
    read().ok_or_else(|| SourceError::Argument(written.to_owned()))
}

/// Returns the number 361 of `const int NormalizeToPawnValue = 361;`.
fn pawn_value(source: &str) -> Option<f64> {
    between(source, "int NormalizeToPawnValue =", ';')?
        .trim()
        .parse()
        .ok()
        .filter(|units| *units > 0.0)
}

/// Returns the number 4000 of `std::clamp(double(v), -4000.0, 4000.0)`.
fn clamp(source: &str) -> Option<f64> {
    between(source, "double x = std::clamp(double(", ';')?
        .rsplit_once(',')?
        .1
        .trim()
        .trim_end_matches(')')
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The source lines of each release that introduced a model.
    const RELEASES: [(&str, &str, &str); 7] = [
        (
            "12",
            "double m = std::min(240, ply) / 64.0;
             double as[] = {-8.24404295, 64.23892342, -95.73056462, 153.86478679};
             double bs[] = {-3.37154371, 28.44489198, -56.67657741,  72.05858751};
             double a = (((as[0] * m + as[1]) * m + as[2]) * m) + as[3];
             double x = std::clamp(double(100 * v) / PawnValueEg, -1000.0, 1000.0);",
            "",
        ),
        (
            "15",
            "double m = (std::min(240, ply) / 64.0);
             double as[] = {-1.17202460e-01, 5.94729104e-01, 1.12065546e+01, 1.22606222e+02};
             double bs[] = {-1.79066759,  11.30759193, -17.43677612,  36.47147479};
             double x = std::clamp(double(100 * v) / PawnValueEg, -2000.0, 2000.0);",
            "",
        ),
        (
            "15.1",
            "double m = std::min(240, ply) / 64.0;
             constexpr double as[] = {  -0.58270499,    2.68512549,   15.24638015,  344.49745382};
             constexpr double bs[] = {  -2.65734562,   15.96509799,  -20.69040836,   73.61029937 };
             static_assert(UCI::NormalizeToPawnValue == int(as[0] + as[1] + as[2] + as[3]));
             double x = std::clamp(double(v), -4000.0, 4000.0);",
            "const int NormalizeToPawnValue = 361;",
        ),
        (
            "16.1",
            "constexpr int  NormalizeToPawnValue = 356;
             double m = std::clamp(ply / 2 + 1, 8, 120) / 32.0;
             constexpr double as[] = {-1.06249702, 7.42016937, 0.89425629, 348.60356174};
             constexpr double bs[] = {-5.33122190, 39.57831533, -90.84473771, 123.40620748};
             static_assert(NormalizeToPawnValue == int(0.5 + as[0] + as[1] + as[2] + as[3]));",
            "",
        ),
        (
            "17",
            "double m = std::clamp(material, 17, 78) / 58.0;
             constexpr double as[] = {-37.45051876, 121.19101539, -132.78783573, 420.70576692};
             constexpr double bs[] = {90.26261072, -137.26549898, 71.10130540, 51.35259597};",
            "",
        ),
        (
            "18",
            "double m = std::clamp(material, 17, 78) / 58.0;
             constexpr double as[] = {-72.32565836, 185.93832038, -144.58862193, 416.44950446};
             constexpr double bs[] = {83.86794042, -136.06112997, 69.98820887, 47.62901433};",
            "",
        ),
        (
            "19",
            "double m = std::clamp(material, 17, 78) / 58.0;
             constexpr double as[] = {-142.72052667, 372.35176398, -340.71073572, 415.23490212};
             constexpr double bs[] = {5.93832785, 15.61267078, -30.57816876, 69.63866711};",
            "",
        ),
    ];

    #[test]
    fn releases_have_the_published_models() {
        for (version, source, header) in RELEASES {
            let model = stockfish_model(source, header).unwrap();
            let published = WdlModel::stockfish(version).unwrap();
            // Since 16.1 the source clamps nothing. At that distance every game is won anyway.
            let clamp = model.clamp.or(published.clamp);
            assert_eq!(WdlModel { clamp, ..model }, published, "{version}");
        }
    }

    #[test]
    fn errors_name_the_missing_line() {
        let (_, source, header) = RELEASES[2];
        assert_eq!(
            stockfish_model(source, "").unwrap_err().to_string(),
            SourceError::Pawn.to_string()
        );
        for (from, to, expected) in [
            ("bs[]", "cs[]", "double bs[]"),
            ("-2.65734562, ", "", "double bs[]"),
            (
                "std::min(240, ply)",
                "std::min(240, hour)",
                "`double m = std::min(240, hour) / 64.0;`",
            ),
            ("64.0", "0", "`double m = std::min(240, ply) / 0;`"),
            ("double m", "double n", "is not understood"),
            ("-0.58270499", "1e999", "makes no sense: a is inf"),
            ("73.61029937", "-73", "makes no sense"),
            ("240, ply", "-240, ply", "makes no sense: range is -240"),
        ] {
            let error = stockfish_model(&source.replace(from, to), header)
                .unwrap_err()
                .to_string();
            assert!(error.contains(expected), "{from}: {error}");
        }
    }
}
