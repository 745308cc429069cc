//! Networks for people.

use centipawn_progress::text::{WIDTH, printable, wrapped};

use crate::{ListedNetwork, NetworkDocument, NetworkList};

/// A network at a level: `maia-1500`, `centipawn-1 1350`.
pub fn levelled(policy: &str, level: Option<u32>) -> String {
    match level {
        Some(level) if !policy.contains(&level.to_string()) => format!("{policy} {level}"),
        _ => policy.to_owned(),
    }
}

/// A note on positions given without the moves that led to them; `made_up` (0 to 8) is that of an
/// [`Evaluation`](crate::Evaluation). `None` if it is 0.
pub fn history_note(made_up: usize) -> Option<String> {
    (made_up > 0).then(|| {
        format!(
            "note: given without its game: {made_up} of the 8 positions a network looks at are made up, and its answer is \
             another than in the game"
        )
    })
}

impl NetworkList {
    /// The list for people, a line each.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for ListedNetwork { name, rating, levels, here, .. } in &self.networks {
            let state = if *here { "here" } else { "can be fetched" };
            text += &match (levels, rating) {
                (Some([from, to]), _) => format!("{name:12} humans of {from} to {to} (Lichess)  in the program\n"),
                (None, Some(rating)) => format!("{name:12} humans of about {rating} (Lichess)   {state}\n"),
                (None, None) => format!("{:12} a file of yours                 here\n", printable(name)),
            };
        }
        if let Some(folder) = &self.folder {
            text += &format!("Networks are kept in {folder}.\n");
        }
        text
    }
}

impl NetworkDocument {
    /// The network for people, a line for each part.
    pub fn text(&self) -> String {
        let Self { name, file, input, body, layers, width, heads, policy, .. } = self;
        let file = file.as_deref().unwrap_or("in the program");
        let of_heads = if *heads > 0 { format!(", {heads} heads") } else { String::new() };
        let mut text = format!("{name}\n  file      {file}\n  input     {input}\n");
        text += &format!("  body      {body}: {layers} × {width}{of_heads}\n  policy    {policy}\n");
        text += &format!("  value     {}\n", if self.wdl { "win, draw, loss" } else { "one number" });
        if self.moves_left {
            text += "  length    estimates how long the game will last\n";
        }
        if let Some([first, last]) = self.levels {
            let mixed = match self.mixed_from.len() {
                0 => String::new(),
                count => format!(", mixed from {count} networks"),
            };
            text += &format!("  levels    {first} to {last}{mixed}\n");
        }
        if let Some(steps) = self.training_steps {
            text += &format!("  training  {steps} steps\n");
        }
        if let Some(license) = &self.license {
            let lines = wrapped(&printable(license), WIDTH - 12);
            text += &format!("  licence   {}\n", lines.join("\n            "));
        }
        text + &format!("  computed  with {}\n", self.kernel)
    }
}
