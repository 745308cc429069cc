//! Bands of ratings.

use serde::{Deserialize, Serialize};

/// A band of 200 points of the mean rating of both players. Games with a missing rating form a
/// separate band, which is ordered first.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct RatingBand(u8);

impl RatingBand {
    /// Games in which at least one rating is missing.
    pub const UNRATED: Self = Self(0);
    /// Width of a band, in points.
    pub const WIDTH: u16 = 200;
    /// Code of the last band, since ratings are at most 5000.
    const LAST: u8 = 26;

    /// Returns the band of a game between White and Black with these ratings.
    ///
    /// ```
    /// use centipawn_calibrate::position::RatingBand;
    ///
    /// assert_eq!(RatingBand::of([Some(1590.0), Some(1612.0)]).from(), Some(1600));
    /// assert_eq!(RatingBand::of([Some(1590.0), None]), RatingBand::UNRATED);
    /// ```
    pub fn of(ratings: [Option<f64>; 2]) -> Self {
        match ratings {
            [Some(white), Some(black)] => {
                let band = (white + black) / 2.0 / f64::from(Self::WIDTH);
                Self((band.clamp(0.0, f64::from(Self::LAST - 1)) as u8) + 1)
            }
            _ => Self::UNRATED,
        }
    }

    /// Returns the band that begins with this rating; `None` unless it is a multiple of 200 up to
    /// 5000.
    pub fn starting_at(from: u16) -> Option<Self> {
        let band = u8::try_from(from / Self::WIDTH).ok()?.checked_add(1)?;
        (from.is_multiple_of(Self::WIDTH) && band <= Self::LAST).then_some(Self(band))
    }

    /// Returns the lowest mean rating of the band; `None` for unrated games. The highest one is
    /// below `from + 200`.
    pub fn from(self) -> Option<u16> {
        self.0
            .checked_sub(1)
            .map(|band| u16::from(band) * Self::WIDTH)
    }

    /// Returns the rating in the middle of the band.
    pub fn middle(self) -> Option<f64> {
        self.from()
            .map(|from| f64::from(from) + f64::from(Self::WIDTH) / 2.0)
    }

    /// Returns a number that identifies the band, below 32.
    pub fn code(self) -> u8 {
        self.0
    }

    /// Returns the band with a [code](Self::code).
    pub fn of_code(code: u8) -> Option<Self> {
        (code <= Self::LAST).then_some(Self(code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_cover_all_ratings() {
        for rating in [100.0, 199.0, 200.0, 1999.5, 2000.0, 5000.0] {
            let band = RatingBand::of([Some(rating); 2]);
            let from = band.from().unwrap();
            assert!(
                f64::from(from) <= rating && rating < f64::from(from + 200),
                "{rating}: {from}"
            );
            assert_eq!(RatingBand::starting_at(from), Some(band));
            assert_eq!(RatingBand::of_code(band.code()), Some(band));
        }
        for wrong in [1, 150, 5200, u16::MAX] {
            assert_eq!(RatingBand::starting_at(wrong), None, "{wrong}");
        }
        assert_eq!(RatingBand::of_code(27), None);
    }
}
