//! Fast reading of Lichess' usual comment, ` [%eval -0.56] [%clk 0:09:44] `, without a branch per
//! digit.

use std::time::Duration;

/// The start of a comment as Lichess writes it.
pub(crate) struct UsualEval<'a> {
    /// White's view.
    pub(crate) centipawns: i32,
    /// The text behind the command.
    pub(crate) rest: &'a [u8],
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x80 * ONES;

/// Reads an `[%eval …]` in pawns at the start of a comment, behind at most one blank: optional
/// minus, one to three digits, `.`, one or two digits.
///
/// For any other comment it returns `None`, and the general decoder takes over; it gives the same
/// value for this form.
#[inline(always)]
pub(crate) fn eval(comment: &[u8]) -> Option<UsualEval<'_>> {
    const COMMAND: &[u8; 8] = b" [%eval ";
    let head = *comment.first_chunk()?;
    let start = if head == *COMMAND {
        8
    } else if head[..7] == COMMAND[1..] {
        7
    } else {
        return None;
    };
    let text = &comment[start..];
    let bytes = match text.first_chunk() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        // The command is the end of the comment. Shift out the bytes before the number.
        None => {
            u64::from_le_bytes(*comment.last_chunk()?).checked_shr(8 * (8 - text.len() as u32))?
        }
    };
    let negative = bytes as u8 == b'-';
    let sign = u32::from(negative);
    let bytes = bytes >> (8 * sign);
    let marks = bytes ^ (ONES * u64::from(b'.'));
    let point = (marks.wrapping_sub(ONES) & !marks & HIGHS).trailing_zeros() / 8;
    if !(1..=3).contains(&point) {
        return None;
    }
    // The point becomes the fourth byte; zeros fill the bytes in front.
    let zeros = (1 << (8 * (3 - point))) - 1;
    let bytes = bytes << (8 * (3 - point)) | 0x30_3030 & zeros;
    // A single decimal is followed by the bracket, which is replaced by a zero.
    let single = bytes >> 40 & 0xff == u64::from(b']');
    let bytes = if single {
        bytes & 0xff_ffff_ffff | 0x5d30 << 40
    } else {
        bytes
    };
    let digits = bytes & 0xff_ffff_ffff_ffff ^ 0x5d_3030_2e30_3030;
    if (digits | digits.wrapping_add(0x0000_0606_0006_0606)) & 0xff_f0f0_fff0_f0f0 != 0 {
        return None;
    }
    let digit = |index: u32| (digits >> (8 * index) & 15) as i32;
    let size = 10_000 * digit(0) + 1_000 * digit(1) + 100 * digit(2) + 10 * digit(4) + digit(5);
    let length = sign + point + if single { 3 } else { 4 };
    Some(UsualEval {
        centipawns: if negative { -size } else { size },
        rest: text.get(length as usize..)?,
    })
}

/// Reads a comment that is nothing but `[%clk 0:09:44]`, with at most one blank on either side.
#[inline(always)]
pub(crate) fn clock_alone(comment: &[u8]) -> Option<Duration> {
    let comment = comment.strip_prefix(b" ").unwrap_or(comment);
    let comment = comment.strip_suffix(b" ").unwrap_or(comment);
    let comment: &[u8; 14] = comment.try_into().ok()?;
    let (command, time) = comment.split_first_chunk::<6>()?;
    if command != b"[%clk " {
        return None;
    }
    let digits = u64::from_le_bytes(*time.first_chunk()?) ^ u64::from_le_bytes(*b"0:00:00]");
    if (digits | digits.wrapping_add(0x0006_0600_0606_0006)) & 0xfff0_f0ff_f0f0_fff0 != 0 {
        return None;
    }
    let digit = |index: u32| digits >> (8 * index) & 15;
    let minutes = 60 * digit(0) + 10 * digit(2) + digit(3);
    Some(Duration::from_secs(60 * minutes + 10 * digit(5) + digit(6)))
}
