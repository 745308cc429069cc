//! The error for numeric options out of their range.

/// A numeric option is out of its range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the option `{option}` is {value}; it must be from {least} to {most}")]
pub struct OutOfRange {
    /// The option's name on the command line.
    pub option: &'static str,
    /// The value that was given.
    pub value: f64,
    /// The smallest allowed value.
    pub least: f64,
    /// The largest allowed value.
    pub most: f64,
}

impl OutOfRange {
    /// Checks an option, if it was given.
    pub(crate) fn check(
        option: &'static str,
        value: Option<f64>,
        [least, most]: [f64; 2],
    ) -> Result<(), Self> {
        match value {
            // The range also refuses NaN.
            Some(value) if !(least..=most).contains(&value) => Err(Self {
                option,
                value,
                least,
                most,
            }),
            _ => Ok(()),
        }
    }
}

/// Checks a number of resamples.
pub(crate) fn check_resamples(resamples: usize, most: u32) -> Result<(), OutOfRange> {
    OutOfRange::check("resamples", Some(resamples as f64), [0.0, f64::from(most)])
}

/// Checks a number of folds. 0 requests no test.
pub(crate) fn check_folds(folds: usize) -> Result<(), OutOfRange> {
    OutOfRange::check(
        "folds",
        Some(folds as f64).filter(|folds| *folds > 0.0),
        [2.0, 50.0],
    )
}

#[cfg(test)]
mod tests {
    use crate::{
        balance::Bootstrap,
        engine_match::MatchReportOptions,
        human::{HumanCountOptions, HumanFitOptions},
        material,
        position::PositionReportOptions,
        wdl,
    };

    #[test]
    fn options_out_of_range_are_errors() {
        let human = |seconds, units| {
            HumanCountOptions {
                seconds,
                units,
                ..HumanCountOptions::default()
            }
            .check()
        };
        let position = |seconds| {
            PositionReportOptions {
                seconds,
                ..PositionReportOptions::default()
            }
            .check()
        };
        let game = |text: &str| {
            serde_json::from_str::<MatchReportOptions>(text)
                .unwrap()
                .check()
        };
        let wdl = |change: &dyn Fn(&mut wdl::FitOptions)| {
            let mut options = wdl::FitOptions::default();
            change(&mut options);
            options.check()
        };
        let said = [
            human(Some(-1.0), None).unwrap_err().to_string(),
            human(None, Some(f64::NAN)).unwrap_err().to_string(),
            position(0.0).unwrap_err().to_string(),
            game(r#"{"white_advantage": 5000}"#).unwrap_err().to_string(),
            game(r#"{"anchor": {"name": "A", "elo": 20000}}"#).unwrap_err().to_string(),
            game(r#"{"sprt": {"elo0": 5, "elo1": 0, "alpha": 0.05, "beta": 0.05, "model": "logistic"}}"#)
                .unwrap_err()
                .to_string(),
            wdl::CountOptions { bin: 0, ..wdl::CountOptions::default() }.check().unwrap_err().to_string(),
            wdl(&|options| options.target = 0.0).unwrap_err().to_string(),
            wdl(&|options| options.selection.moves = (5, 2)).unwrap_err().to_string(),
            wdl(&|options| options.selection.eval_max = 0).unwrap_err().to_string(),
            wdl::ResampleOptions { folds: 1, ..wdl::ResampleOptions::default() }.check().unwrap_err().to_string(),
            HumanFitOptions { resamples: 5000, folds: 0 }.check().unwrap_err().to_string(),
            material::ReportOptions { folds: 1, ..material::ReportOptions::default() }.check().unwrap_err().to_string(),
            Bootstrap { resamples: 20_000, seed: 0 }.check().unwrap_err().to_string(),
        ];
        assert_eq!(
            (wdl(&|_| ()), wdl::CountOptions::default().check()),
            (Ok(()), Ok(()))
        );
        assert_eq!(
            (
                wdl::ResampleOptions::default().check(),
                HumanFitOptions::default().check()
            ),
            (Ok(()), Ok(()))
        );
        assert_eq!(
            (
                material::ReportOptions::default().check(),
                Bootstrap::default().check()
            ),
            (Ok(()), Ok(()))
        );
        assert_eq!(
            said,
            [
                "the option `time` is -1; it must be from 1 to 1000000000",
                "the option `units` is NaN; it must be from 0.1 to 10",
                "the option `time` is 0; it must be from 1 to 1000000000",
                "the option `white_advantage` is 5000; it must be from -1000 to 1000",
                "the option `anchor` is 20000; it must be from -10000 to 10000",
                "the bounds of a sequential test are two numbers, the lower one first, such as 0,5",
                "the option `bin` is 0; it must be from 1 to 2000",
                "the option `target` is 0; it must be from 1 to 1000",
                "the option `move_max` is 2; it must be from 5 to 255",
                "the option `eval_max` is 0; it must be from 1 to 2000",
                "the option `folds` is 1; it must be from 2 to 50",
                "the option `resamples` is 5000; it must be from 0 to 1000",
                "the option `folds` is 1; it must be from 2 to 50",
                "the option `resamples` is 20000; it must be from 0 to 10000",
            ]
        );
        assert_eq!(
            (
                human(None, None),
                human(Some(60.0), Some(0.1)),
                position(5400.0)
            ),
            (Ok(()), Ok(()), Ok(()))
        );
        assert_eq!(
            (game("{}"), game(r#"{"white_advantage": -1000}"#)),
            (Ok(()), Ok(()))
        );
    }
}
