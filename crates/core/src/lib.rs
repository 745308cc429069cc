mod eval;
mod history;

pub use eval::{Eval, Mover, Score, Wdl, White};
pub use history::{Ending, FenError, History, IllegalMove};
