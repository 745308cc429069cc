//! Formats policy networks and their answers.

use centipawn_core::Wdl;
use centipawn_policy::{
    Evaluation, ListedNetwork, NetworkDocument, NetworkList, UNKNOWN_NOTE, is_known,
};
use centipawn_progress::text::printable;
use centipawn_work::engine::NetworkAnswer;
use shakmaty::Move;

use crate::columns::{WIDTH, padded, wrapped};

/// Returns a list of networks, one line each.
pub fn networks(list: &NetworkList) -> String {
    let mut text = String::new();
    for ListedNetwork {
        name,
        rating,
        levels,
        here,
        ..
    } in &list.networks
    {
        let state = if *here { "installed" } else { "can be fetched" };
        text += &match (levels, rating) {
            (Some([from, to]), _) => {
                format!("{name:12} humans of {from} to {to} (Lichess)  in the program\n")
            }
            (None, Some(rating)) => {
                format!("{name:12} humans of about {rating} (Lichess)   {state}\n")
            }
            (None, None) => format!(
                "{:12} your own file                   installed\n",
                printable(name)
            ),
        };
    }
    if let Some(folder) = &list.folder {
        text += &format!("Networks are kept in {folder}.\n");
    }
    text
}

/// Returns the description of a network.
pub fn network(document: &NetworkDocument) -> String {
    let NetworkDocument {
        input,
        body,
        layers,
        width,
        heads,
        policy,
        ..
    } = document;
    let (name, file) = (
        printable(&document.name),
        printable(document.file.as_deref().unwrap_or("in the program")),
    );
    let of_heads = if *heads > 0 {
        format!(", {heads} heads")
    } else {
        String::new()
    };
    let mut text = format!("{name}\n  file      {file}\n  input     {input}\n");
    text += &format!("  body      {body}: {layers} × {width}{of_heads}\n  policy    {policy}\n");
    text += &format!(
        "  value     {}\n",
        if document.wdl {
            "win, draw, loss"
        } else {
            "one number"
        }
    );
    if document.moves_left {
        text += "  length    estimates how long the game will last\n";
    }
    if let Some([first, last]) = document.levels {
        let mixed = match document.mixed_from.len() {
            0 => String::new(),
            count => format!(", mixed from {count} networks"),
        };
        text += &format!("  levels    {first} to {last}{mixed}\n");
    }
    if let Some(steps) = document.training_steps {
        text += &format!("  training  {steps} steps\n");
    }
    if let Some(license) = &document.license {
        let lines = wrapped(&printable(license), WIDTH - 12);
        text += &format!("  licence   {}\n", lines.join("\n            "));
    }
    text + &format!("  computed  with {}\n", document.kernel)
}

/// Returns a network's answer. For a position of a game, it is a line about the move that was
/// played. Otherwise it is a table of the `moves` most likely moves (0 for all). Notes are wrapped
/// at 80 columns.
pub fn network_answer(answer: &NetworkAnswer<'_>, moves: usize) -> String {
    match answer.place {
        Some(place) => line(answer, place.played),
        None => table(answer, moves),
    }
}

fn line(answer: &NetworkAnswer<'_>, played: Move) -> String {
    let likeliest = &answer.evaluation.moves[0];
    format!(
        "{} {:>5.1} %   {:16} {} {} {:.1} %\n",
        padded(&answer.history.numbered(played), 16),
        100.0 * answer.probability(played),
        levelled(answer.network.name(), answer.evaluation.level),
        if likeliest.mv == played {
            "as predicted,"
        } else {
            "predicted:"
        },
        answer.history.san(likeliest.mv),
        100.0 * likeliest.probability,
    )
}

fn table(answer: &NetworkAnswer<'_>, moves: usize) -> String {
    let Evaluation {
        level,
        wdl,
        value,
        made_up,
        moves: all,
        ..
    } = &answer.evaluation;
    let mut text = format!(
        "{}\n{}: ",
        answer.history.fen(),
        levelled(answer.network.name(), *level)
    );
    text += &match wdl {
        Some(Wdl { win, draw, loss }) => format!(
            "win {:.1} %, draw {:.1} %, loss {:.1} % for the side to move\n",
            100.0 * win,
            100.0 * draw,
            100.0 * loss
        ),
        None => format!("value {value:+.3} for the side to move\n"),
    };
    let unknown = (!is_known(answer.history)).then_some(UNKNOWN_NOTE);
    for line in unknown.iter().flat_map(|note| wrapped(note, WIDTH)) {
        text += &format!("{line}\n");
    }
    for line in history_note(*made_up)
        .iter()
        .flat_map(|note| wrapped(note, WIDTH))
    {
        text += &(line + "\n");
    }
    let (shown, rest) = all.split_at(if moves == 0 {
        all.len()
    } else {
        moves.min(all.len())
    });
    for mv in shown {
        let bar = "█".repeat((40.0 * mv.probability).round() as usize);
        text += &format!(
            "  {:9} {:5.1} %  {bar}\n",
            answer.history.san(mv.mv),
            100.0 * mv.probability
        );
    }
    if !rest.is_empty() {
        let probability: f64 = rest.iter().map(|mv| mv.probability).sum();
        text += &format!(
            "  {:9} {:5.1} %\n",
            format!("{} more", rest.len()),
            100.0 * probability
        );
    }
    text
}

/// Returns the name of a network with its level: `maia-1500`, `centipawn-1 1350`.
pub(crate) fn levelled(policy: &str, level: Option<u32>) -> String {
    match level {
        Some(level) if !policy.contains(&level.to_string()) => {
            printable(&format!("{policy} {level}"))
        }
        _ => printable(policy),
    }
}

/// Returns a note for positions that were given without the moves before them; `None` if `made_up`
/// is 0. `made_up` is the field of [`Evaluation`] with the same name, 0 to 8.
pub(crate) fn history_note(made_up: usize) -> Option<String> {
    (made_up > 0).then(|| {
        format!(
            "note: the position was given without its game: {made_up} of the 8 positions that a network looks at are made up, \
             and its answer differs from that in the game"
        )
    })
}
