//! Options that are numbers out of their range.

/// An option is a number out of its range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the option `{option}` is {value}; it must be from {least} to {most}")]
pub struct OutOfRange {
    /// The option, by its name on the command line.
    pub option: &'static str,
    /// Its value.
    pub value: f64,
    /// The smallest allowed value.
    pub least: f64,
    /// The largest allowed value.
    pub most: f64,
}

impl OutOfRange {
    /// Checks an option, if it is given.
    pub(crate) fn check(option: &'static str, value: Option<f64>, [least, most]: [f64; 2]) -> Result<(), Self> {
        match value {
            // Also refuses NaN.
            Some(value) if !(least..=most).contains(&value) => Err(Self { option, value, least, most }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{engine_match::MatchReportOptions, human::HumanCountOptions, position::PositionReportOptions};

    #[test]
    fn options_out_of_range_are_errors() {
        let human = |seconds, units| HumanCountOptions { seconds, units, ..HumanCountOptions::default() }.check();
        let position = |seconds| PositionReportOptions { seconds, ..PositionReportOptions::default() }.check();
        let game = |text: &str| serde_json::from_str::<MatchReportOptions>(text).unwrap().check();
        let said = [
            human(Some(-1.0), None).unwrap_err().to_string(),
            human(None, Some(f64::NAN)).unwrap_err().to_string(),
            position(0.0).unwrap_err().to_string(),
            game(r#"{"white_advantage": 5000}"#).unwrap_err().to_string(),
            game(r#"{"anchor": {"name": "A", "elo": 20000}}"#).unwrap_err().to_string(),
            game(r#"{"sprt": {"elo0": 5, "elo1": 0, "alpha": 0.05, "beta": 0.05, "model": "logistic"}}"#)
                .unwrap_err()
                .to_string(),
        ];
        assert_eq!(
            said,
            [
                "the option `time` is -1; it must be from 1 to 1000000000",
                "the option `units` is NaN; it must be from 0.1 to 10",
                "the option `time` is 0; it must be from 1 to 1000000000",
                "the option `white_advantage` is 5000; it must be from -1000 to 1000",
                "the option `anchor` is 20000; it must be from -10000 to 10000",
                "the bounds of a sequential test are two numbers, the lower one first, such as 0,5",
            ]
        );
        assert_eq!((human(None, None), human(Some(60.0), Some(0.1)), position(5400.0)), (Ok(()), Ok(()), Ok(())));
        assert_eq!((game("{}"), game(r#"{"white_advantage": -1000}"#)), (Ok(()), Ok(())));
    }
}
