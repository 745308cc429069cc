//! The options that were sent to an engine before a search.

use shakmaty::{CastlingMode, Position as _};

use crate::{
    AnalystError, Identity, Question, options,
    uci::{OptionDecl, OptionKind},
};

/// The options that questions set, as the engine knows them. They are sent only when they change.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sent {
    lines: Option<usize>,
    chess960: Option<bool>,
}

impl Sent {
    /// Returns the commands that clear the engine's memory and set the options of a question.
    ///
    /// # Errors
    ///
    /// [`AnalystError::NoChess960`] if the engine cannot play the question's variant.
    pub(crate) fn prepare(
        &mut self,
        known: &[OptionDecl],
        identity: &Identity,
        question: &Question,
        lines: usize,
    ) -> Result<String, AnalystError> {
        let mut commands = String::from("ucinewgame\n");
        // `ucinewgame` does not clear the hash of every engine; the button does.
        if let Some(OptionDecl {
            name,
            kind: OptionKind::Button,
        }) = options::find(known, "Clear Hash")
        {
            commands += &format!("setoption name {name}\n");
        }
        let mut set = |name: &str, value: &dyn std::fmt::Display| {
            commands += &format!("setoption name {name} value {value}\n");
        };
        let chess960 = question.history.mode() == CastlingMode::Chess960;
        let variant = options::find(known, "UCI_Chess960");
        if variant.is_none() && chess960 && question.history.start().castles().any() {
            return Err(AnalystError::NoChess960 {
                engine: identity.name.clone(),
                fen: question.history.fen(),
            });
        }
        if let Some(OptionDecl { name, .. }) = variant.filter(|_| self.chess960 != Some(chess960)) {
            set(name, &chess960);
            self.chess960 = Some(chess960);
        }
        let multipv = options::find(known, "MultiPV").filter(|_| self.lines != Some(lines));
        if let Some(OptionDecl { name, .. }) = multipv {
            set(name, &lines);
        }
        self.lines = Some(lines);
        Ok(commands)
    }
}
