//! Formats the ease of games and positions.

use std::fmt::Write as _;

use centipawn_core::{LineEase, hardest};
use centipawn_judge::ease::{EaseOutcome, HARD, JudgedEase, Moment, levels, middle};
use centipawn_progress::text::{plural, printable};
use centipawn_review::Language;
use shakmaty::{Color, Move};

use crate::{
    columns::{BARS, WIDTH, padded, wrapped},
    policies::{history_note, levelled},
};

/// Width of the column of row names.
const NAME: usize = 17;
/// Length in columns of a bar that shows probability 1.
const BAR: f64 = 6.0;
/// Name of the row of judgements for players with the ratings of this game's players.
const OWN: &str = "players' own";
/// How many of a game's hardest moments are shown.
const MOMENTS: usize = 5;

/// Returns the ease of a game or a position, at most 80 columns wide. `explain` adds a table of the
/// moves of each position.
pub fn ease(judged: &EaseOutcome, explain: bool) -> String {
    let positions = || {
        judged
            .moments
            .iter()
            .flatten()
            .map(|moment| position(moment, explain))
            .collect::<String>()
    };
    match judged.title() {
        None => positions(),
        Some(title) => {
            let explained = if explain { positions() } else { String::new() };
            game(&printable(&title), &judged.moments) + &explained
        }
    }
}

/// Appends a wrapped paragraph whose lines are indented, except the first one. A line never breaks
/// between a number and its per cent sign.
fn paragraph(out: &mut String, text: &str, indent: usize) {
    const BOUND: &str = "\u{1}%";
    for (index, line) in wrapped(&text.replace(" %", BOUND), WIDTH - indent)
        .iter()
        .enumerate()
    {
        let blanks = if index == 0 { 0 } else { indent };
        *out += &format!("{:blanks$}{}\n", "", line.replace(BOUND, " %"));
    }
}

/// One position: a table with a row for each judgement, and notes.
fn position(moment: &Moment, explain: bool) -> String {
    let mut out = moment.before.fen() + "\n";
    if let Some(note) = moment.note() {
        paragraph(&mut out, note, 0);
        return out;
    }
    let made_up = moment
        .judged
        .iter()
        .map(|judged| judged.made_up)
        .max()
        .unwrap_or(0);
    history_note(made_up)
        .iter()
        .for_each(|note| paragraph(&mut out, note, 0));
    let _ = writeln!(
        out,
        "{:NAME$} {:>5} {:>5} {:>6} {:>6} {:>7} {:>7}  best move",
        "", "loses", "ease", "each", "good", "inacc.", "blunder"
    );
    for judged in &moment.judged {
        out += &row(moment, judged);
        if explain {
            out += &table(moment, judged);
        }
    }
    for note in [
        levels_note(&moment.judged),
        traps(moment),
        missing(moment),
        found(&moment.judged),
    ]
    .into_iter()
    .flatten()
    {
        paragraph(&mut out, &note, 2);
    }
    if let Some(sharpness) = moment.sharpness {
        let note = format!(
            "sharpness {sharpness:.2} (how much is still to be decided, not how hard it is)"
        );
        paragraph(&mut out, &note, 2);
    }
    out
}

/// Returns a row of the table: the ease of a position for one level.
fn row(moment: &Moment, judged: &JudgedEase) -> String {
    let (ease, meter) = (&judged.ease, &judged.ease.meter);
    let bound = if judged.is_exact() { "" } else { "≤" };
    let best = judged.best().map_or_else(String::new, |best| {
        let bar = "█".repeat((BAR * best.p).round() as usize);
        format!(
            "  {:7} {:3.0} % {bar}",
            moment.before.san(best.mv),
            100.0 * best.p
        )
    });
    let row = format!(
        "{} {:5.3} {:>5} {:6.2} {:4.0} % {:5.0} % {:5.0} %{best}",
        padded(&name(moment, judged), NAME),
        judged.expected_loss,
        format!("{bound}{:.2}", ease.sum),
        ease.each,
        100.0 * meter.good,
        100.0 * meter.inaccurate,
        100.0 * meter.blunder,
    );
    let ahead = judged
        .ahead
        .map(|ahead| format!("{:NAME$} {ahead:11.2} with the moves to come\n", ""));
    format!("{}\n{}", row.trim_end(), ahead.unwrap_or_default())
}

/// For which players a judgement holds: `centipawn-1 1500`, `maia-1500`, or `White 1480` for the
/// player to move.
fn name(moment: &Moment, judged: &JudgedEase) -> String {
    let player = moment.before.turn().fold_wb("White", "Black");
    match (judged.player, judged.level) {
        (Some(rating), Some(level)) if rating != level => format!("{player} {rating}/{level}"),
        (Some(rating), _) => format!("{player} {rating}"),
        (None, level) => levelled(&judged.policy, level),
    }
}

/// Returns a note for a player whose rating the network cannot imitate; `None` if it can.
fn levels_note(judged: &[JudgedEase]) -> Option<String> {
    let (rating, level) = judged
        .iter()
        .find_map(|judged| Some((judged.player?, judged.level?)))
        .filter(|(rating, level)| rating != level)?;
    Some(format!(
        "note: the network imitates {level}, the level nearest to {rating}; what moves lose is \
         weighed as by players rated {rating}"
    ))
}

/// Returns a note that lists the tempting bad moves, with the levels that play them; `None` if
/// there are none.
fn traps(moment: &Moment) -> Option<String> {
    let mut traps: Vec<(Move, f64, Vec<String>)> = Vec::new();
    for judged in &moment.judged {
        let Some(mv) = judged.trap() else { continue };
        let who = judged
            .level
            .map_or_else(|| judged.policy.clone(), |level| level.to_string());
        let often = format!("{:.0} % ({who})", 100.0 * mv.p);
        match traps.iter_mut().find(|(other, ..)| *other == mv.mv) {
            Some((.., all)) => all.push(often),
            None => traps.push((mv.mv, mv.loss, vec![often])),
        }
    }
    let listed = |(mv, loss, all): &(Move, f64, Vec<String>)| {
        format!(
            "{}, played by {}, gives away {loss:.2}",
            moment.before.san(*mv),
            all.join(", ")
        )
    };
    let listed: Vec<String> = traps.iter().map(listed).collect();
    (!listed.is_empty()).then(|| {
        format!(
            "{}: {}",
            if listed.len() == 1 { "trap" } else { "traps" },
            listed.join("; ")
        )
    })
}

fn missing(moment: &Moment) -> Option<String> {
    let mut missing: Vec<String> = Vec::new();
    for mv in moment.judged.iter().flat_map(|judged| &judged.missing) {
        let san = moment.before.san(*mv);
        if !missing.contains(&san) {
            missing.push(san);
        }
    }
    (!missing.is_empty()).then(|| format!("not evaluated: {}", missing.join(", ")))
}

fn table(moment: &Moment, judged: &JudgedEase) -> String {
    let mut out = format!(
        "  {:9} {:>7} {:>7} {:>8} {:>7} {:>6} {:>6}\n",
        "move", "played", "policy", "eval", "Q", "loss", "share"
    );
    for mv in &judged.moves {
        let _ = writeln!(
            out,
            "  {:9} {:5.1} % {:5.1} % {:>8} {:+7.3} {:6.3} {:4.0} %",
            moment.before.san(mv.mv),
            100.0 * mv.p,
            100.0 * mv.p_policy,
            mv.eval.to_string(),
            mv.q,
            mv.loss,
            100.0 * mv.share
        );
    }
    out
}

/// Returns a sentence about the levels that find the best move; `None` if only one level was
/// judged.
fn found(judged: &[JudgedEase]) -> Option<String> {
    levels(judged).map(|curve| Language::English.who_finds(&curve))
}

/// Returns a game: a graph of ease, the means for each level, and the hardest moments.
fn game(title: &str, moments: &[Option<Moment>]) -> String {
    let mut out = title.to_owned() + "\n";
    let eases: Vec<Option<f64>> = moments
        .iter()
        .map(|moment| moment.as_ref()?.ease())
        .collect();
    out += &format!(
        "{}\n{:NAME$} {:>22} {:>22}\n",
        sparkline(&eases),
        "mean (hardest)",
        "White",
        "Black"
    );
    let own = |judged: &JudgedEase| judged.player.is_some();
    if moments
        .iter()
        .flatten()
        .any(|moment| moment.judged.iter().any(own))
    {
        out += &averages(OWN, moments, own);
        out += &losses(moments);
    }
    for (policy, level) in everywhere(moments) {
        out += &averages(&levelled(&policy, level), moments, |judged| {
            judged.policy == policy && judged.level == level
        });
    }
    if moments
        .iter()
        .flatten()
        .any(|moment| moment.judged.iter().any(|judged| !judged.is_exact()))
    {
        paragraph(
            &mut out,
            "Ease is an upper bound, because evaluations are missing.",
            0,
        );
    }
    let notes = moments
        .iter()
        .flatten()
        .filter_map(|moment| levels_note(&moment.judged));
    let mut notes: Vec<String> = notes.collect();
    notes.sort_unstable();
    notes.dedup();
    notes.iter().for_each(|note| paragraph(&mut out, note, 0));
    match moments.iter().filter(|moment| moment.is_none()).count() {
        0 => {}
        left_out => {
            let note = format!(
                "{} left out, because they have no evaluation",
                plural(left_out as u64, "position")
            );
            paragraph(&mut out, &note, 0);
        }
    }
    for ply in hardest(&eases, MOMENTS, HARD) {
        let Some((moment, judged)) = moments[ply]
            .as_ref()
            .and_then(|moment| Some((moment, middle(&moment.judged)?)))
        else {
            continue;
        };
        let bound = if judged.is_exact() { "" } else { "at most " };
        let played = moment
            .played
            .map(|mv| moment.before.numbered(mv))
            .unwrap_or_default();
        let lost = moment
            .lost()
            .map(|lost| format!(" (lost: {lost:.2})"))
            .unwrap_or_default();
        let expected = format!("expected loss {:.2}{lost}", judged.expected_loss);
        let text = format!(
            "{expected}, ease {bound}{:.2}: {}",
            judged.ease.sum,
            reasons(moment, judged)
        );
        out += &format!("{played:13} ");
        paragraph(&mut out, &text, 14);
        if let Some(found) = found(&moment.judged) {
            out += &format!("{:14}", "");
            paragraph(&mut out, &found, 14);
        }
    }
    out
}

/// Networks and levels that judge the positions of both players. Those for the rating of one player
/// are left out.
fn everywhere(moments: &[Option<Moment>]) -> Vec<(String, Option<u32>)> {
    let judged = |color: Color| {
        let mut judged = moments
            .iter()
            .flatten()
            .filter(|moment| !moment.judged.is_empty());
        let moment = judged.find(|moment| moment.before.turn() == color);
        moment.map(|moment| {
            moment
                .judged
                .iter()
                .map(|judged| (judged.policy.clone(), judged.level))
                .collect::<Vec<_>>()
        })
    };
    match (judged(Color::White), judged(Color::Black)) {
        (Some(white), Some(black)) => white
            .into_iter()
            .filter(|key| black.contains(key))
            .collect(),
        (one, other) => one.or(other).unwrap_or_default(),
    }
}

/// Returns why a moment is hard: the tempting move, the best move, and which of them was played.
fn reasons(moment: &Moment, judged: &JudgedEase) -> String {
    let name = |mv: Move| moment.before.san(mv);
    let mut parts = Vec::new();
    if let Some(worst) = judged.lure() {
        let verb = if moment.played == Some(worst.mv) {
            "was played, as it is by"
        } else {
            "tempts"
        };
        parts.push(format!(
            "{} {verb} {:.0} %, and gives away {:.2}",
            name(worst.mv),
            100.0 * worst.p,
            worst.loss
        ));
    }
    if let Some(best) = judged.best() {
        let played = if moment.played == Some(best.mv) {
            ", and was played"
        } else {
            ""
        };
        let like = judged.player.map(|rating| {
            let player = moment.before.turn().fold_wb("White", "Black");
            format!(
                "{:.0} % of players like {player} ({rating}) find it",
                100.0 * best.p
            )
        });
        let like = like.unwrap_or_else(|| format!("{:.0} %", 100.0 * best.p));
        parts.push(format!("{} is right{played} ({like})", name(best.mv)));
    }
    parts.join("; ")
}

/// Returns what players with these ratings lose in these positions on average, and in brackets what
/// the two players lost. Both are sums of expected score.
fn losses(moments: &[Option<Moment>]) -> String {
    let of = |color: Color| {
        let own = moments
            .iter()
            .flatten()
            .filter(|moment| moment.before.turn() == color);
        let own = own.filter_map(|moment| {
            let judged = moment
                .judged
                .iter()
                .find(|judged| judged.player.is_some())?;
            Some((judged.expected_loss, moment.lost()?))
        });
        let (expected, lost) = own.fold((0.0, 0.0), |(expected, lost), (of_moment, of_move)| {
            (expected + of_moment, lost + of_move)
        });
        format!("{expected:.2} ({lost:.2})")
    };
    format!(
        "{:NAME$} {:>22} {:>22}\n",
        "expected (lost)",
        of(Color::White),
        of(Color::Black)
    )
}

/// Returns a row with each player's mean ease and, in brackets, the hardest position. It counts the
/// judgements that `is_counted` accepts.
fn averages(
    name: &str,
    moments: &[Option<Moment>],
    is_counted: impl Fn(&JudgedEase) -> bool,
) -> String {
    let is_own = name == OWN;
    let of = |color: Color| {
        let positions = moments
            .iter()
            .flatten()
            .filter(|moment| moment.before.turn() == color);
        let judged =
            positions.filter_map(|moment| moment.judged.iter().find(|judged| is_counted(judged)));
        let (eases, players): (Vec<f64>, Vec<Option<u32>>) = judged
            .map(|judged| (judged.ease.sum, judged.player))
            .unzip();
        let mean = eases.iter().sum::<f64>() / eases.len().max(1) as f64;
        let player = players.first().copied().flatten().filter(|_| is_own);
        let player = player
            .map(|rating| format!("{rating}: "))
            .unwrap_or_default();
        LineEase::of(eases).map_or_else(
            || "-".to_owned(),
            |line| format!("{player}{mean:.2} ({:.2})", line.minimum),
        )
    };
    format!(
        "{} {:>22} {:>22}\n",
        padded(name, NAME),
        of(Color::White),
        of(Color::Black)
    )
}

/// Returns a graph of ease in one line, at most one column per ply. A column for several plies
/// shows the hardest. Unknown values leave a blank.
fn sparkline(eases: &[Option<f64>]) -> String {
    let columns = eases.len().min(WIDTH);
    let column = |column: usize| {
        let plies = &eases[column * eases.len() / columns..(column + 1) * eases.len() / columns];
        let hardest = plies
            .iter()
            .flatten()
            .copied()
            .fold(f64::INFINITY, f64::min);
        if hardest.is_finite() {
            BARS[((hardest.max(0.0) * 8.0) as usize).min(7)]
        } else {
            ' '
        }
    };
    (0..columns).map(column).collect()
}
