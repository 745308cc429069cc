//! A mistake as a chapter of a lesson.

use centipawn_core::{Context, Ending, History, MoveSymbol};
use centipawn_judge::{
    JudgedMove,
    ease::{EaseMove, middle},
    reason::{Reason, ReasonKind},
};
use centipawn_pgn::{Game, Nag, Ply};
use centipawn_review::{Language, Review};
use shakmaty::{Move, Piece, Position as _, Role, Square, san::SanPlus};

use super::{
    Chapter, occasion,
    shapes::{Brush, Remark},
};

/// Maximum number of half-moves of a variation, including the student's wrong move.
const REFUTATION: usize = 6;
/// Number of half-moves of the follow-up in a comment.
const FOLLOW_UP: usize = 8;
/// Variations besides the played move.
const OTHERS: usize = 3;
/// The probability from which on a move that the engine did not list is tempting.
const TEMPTING: f64 = 0.1;

/// A mistake with the data for its chapter.
struct Moment<'a> {
    review: &'a Review,
    ply: &'a JudgedMove,
    /// The position before the mistake.
    before: History,
    better: Move,
    language: Language,
}

/// Returns the mistake of this index as a chapter; `better` is the move to find.
pub(super) fn chapter(review: &Review, index: usize, better: Move, event: &str) -> Chapter {
    let ply = &review.plies[index];
    let before = History::new(ply.before.position().clone(), ply.before.mode());
    let language = review.language;
    let moment = Moment {
        review,
        ply,
        before,
        better,
        language,
    };
    let tags = review.tags();
    let mut game = Game::from_start(&moment.before);
    game.headers.set("Event", event);
    for name in ["Site", "Date", "White", "Black", "WhiteElo", "BlackElo"] {
        if let Some(value) = tags.get(name) {
            game.headers.set(name, value);
        }
    }
    // With a result, Lichess would show every chapter from White's side.
    game.headers.set("Result", "*");
    game.headers.set("Annotator", "Centipawn");
    game.comments = moment
        .question(index.checked_sub(1).map(|previous| &review.plies[previous]))
        .comment();
    game.plies = moment.main_line();
    let answer = review
        .plies
        .get(index + 1)
        .and_then(|next| next.lines.first())
        .map(|line| &*line.pv);
    game.plies[0].variations = std::iter::once(moment.played(answer))
        .chain(moment.others())
        .chain(moment.tempting())
        .collect();
    let played = format!("{}{}", language.numbered(ply), ply.glyphs());
    let name = format!("{played} · {}", occasion(&review.title(), tags.date()));
    Chapter {
        loss: ply.score_loss,
        ..Chapter::new(game, &name, ply.mover)
    }
}

/// Returns whether only one move is good in the position before a move: every other move that the
/// analyst lists would get a symbol of blame. Without a second line that is unknown, and `false`.
pub(super) fn is_unique(review: &Review, ply: &JudgedMove) -> bool {
    let context = Context::of(ply.before.position());
    let score = |line: &centipawn_engine::Line| review.curve.expected_score(line.eval, context);
    let Some((best, others)) = ply.lines.split_first() else {
        return false;
    };
    let best = score(best);
    let is_blamed = |line: &centipawn_engine::Line| {
        let symbol = ply.scheme.symbol(score(line) - best);
        symbol.is_some_and(|symbol| !symbol.is_praise())
    };
    !others.is_empty() && others.iter().all(is_blamed)
}

impl Moment<'_> {
    fn words(&self, english: &str, german: &str) -> String {
        if self.language == Language::German {
            german
        } else {
            english
        }
        .to_owned()
    }

    /// Returns what the student is asked.
    fn question(&self, previous: Option<&JudgedMove>) -> Remark {
        let played = format!("{}{}", self.language.numbered(self.ply), self.ply.glyphs());
        let side = self
            .ply
            .mover
            .fold_wb(self.words("White", "Weiß"), self.words("Black", "Schwarz"));
        let last = previous.map(|last| self.language.numbered(last));
        let text = match last {
            Some(last) => self
                .words(
                    "After LAST, SIDE played PLAYED. Find a better move.",
                    "Nach LAST spielte SIDE PLAYED. Finde einen besseren Zug.",
                )
                .replace("LAST", &last),
            None => self.words(
                "SIDE played PLAYED. Find a better move.",
                "SIDE spielte PLAYED. Finde einen besseren Zug.",
            ),
        };
        Remark::default().say(text.replace("SIDE", &side).replace("PLAYED", &played))
    }

    /// Returns the reason, if it is of this kind.
    fn reason(&self, kind: ReasonKind) -> Option<&Reason> {
        self.ply
            .reason
            .as_ref()
            .filter(|reason| reason.kind == kind)
    }

    fn reason_text(&self, kind: ReasonKind) -> String {
        self.reason(kind)
            .and_then(|_| self.language.reason_text(self.ply))
            .unwrap_or_default()
    }

    /// Returns what the better move does, if the review has proven it: this stands beside the move,
    /// so "misses" would be wrong.
    fn solution(&self) -> String {
        let mut after = self.before.clone();
        after.push(self.better);
        if after.ending() == Some(Ending::Checkmate) {
            return self.words("Mates.", "Setzt matt.").to_owned();
        }
        let is_better = self
            .reason(ReasonKind::Misses)
            .is_some_and(|reason| reason.line.first() == Some(&self.better));
        is_better
            .then(|| self.language.solution_text(self.ply))
            .flatten()
            .unwrap_or_default()
    }

    /// Returns the better move, and what the review has proven that it wins. The rest of the
    /// engine's line is in the comment, since other moves may be as good there, and a lesson
    /// accepts only one.
    fn main_line(&self) -> Vec<Ply> {
        let proven = self.reason(ReasonKind::Misses).map(|reason| &*reason.line);
        // A line that ends with the student's move is shown from the student's side.
        let proven =
            proven.filter(|line| line.first() == Some(&self.better) && line.len() % 2 == 1);
        let mut line: Vec<Ply> = proven
            .unwrap_or(&[self.better])
            .iter()
            .map(|&mv| Ply::new(mv))
            .collect();
        let engine = self
            .ply
            .better()
            .filter(|line| line.first() == Some(&self.better))
            .unwrap_or_default();
        let follow_up =
            match proven.is_none_or(|line| engine.starts_with(line)) && engine.len() > line.len() {
                true => format!(
                    "{} {}.",
                    self.words("The engine's line:", "Die Variante der Engine:"),
                    self.numbered(cut(&self.before, engine, FOLLOW_UP))
                ),
                false => String::new(),
            };
        let numbers = format!("{}.", self.language.remark_numbers(self.ply));
        let mut first = Remark::default().arrow(Brush::Green, self.better, self.ply.mover);
        if let (Some(reason), Some(_)) = (self.reason(ReasonKind::Misses), proven) {
            first = first.circles(Brush::Green, self.targets(reason, self.better));
        }
        first = first.say(self.solution()).say(follow_up).say(numbers);
        line[0].comments = first.comment();
        self.judge_end(&mut line);
        line
    }

    /// Gives the position after the better move its symbol, at the end of the line.
    fn judge_end(&self, line: &mut [Ply]) {
        let mut end = self.before.clone();
        line.iter().for_each(|ply| end.push(ply.mv));
        let symbol = self
            .review
            .scheme
            .positions
            .symbol(self.ply.expected_score_best);
        if let Some(last) = line
            .last_mut()
            .filter(|_| end.ending() != Some(Ending::Checkmate))
        {
            last.set_nag(Nag(symbol.nag()));
        }
    }

    /// Returns the played move with its refutation; `answer` is the engine's line after it.
    fn played(&self, answer: Option<&[Move]>) -> Vec<Ply> {
        let reason = self.reason(ReasonKind::Allows);
        let in_lines = || self.line_of(self.ply.mv).map(|line| &line[1..]);
        let refutation = reason
            .map(|reason| &*reason.line)
            .or(answer)
            .or_else(in_lines)
            .unwrap_or_default();
        let mut remark = Remark::default();
        if let Some(&reply) = refutation.first() {
            remark = remark.arrow(Brush::Red, reply, !self.ply.mover);
        }
        remark = remark
            .say(self.language.remark(self.ply))
            .say(self.reason_text(ReasonKind::Allows));
        let symbol = self.ply.symbol.map(|symbol| Nag(symbol.nag()));
        let mut line = self.variation(self.ply.mv, refutation, symbol, &remark);
        if let (Some(reason), Some(reply)) = (reason, line.get_mut(1)) {
            let circles = Remark::default().circles(Brush::Red, self.targets(reason, reply.mv));
            reply.comments = circles.comment();
        }
        line
    }

    /// Returns the engine's other lines: moves that are good, too, and mistakes with their
    /// refutations.
    fn others(&self) -> Vec<Vec<Ply>> {
        let own = [self.better, self.ply.mv];
        let others = self
            .ply
            .lines
            .iter()
            .filter(|line| line.pv.first().is_some_and(|first| !own.contains(first)));
        let context = Context::of(self.before.position());
        let score =
            |line: &centipawn_engine::Line| self.review.curve.expected_score(line.eval, context);
        let Some(best) = self.ply.lines.first().map(score) else {
            return Vec::new();
        };
        let variation = |line: &centipawn_engine::Line| {
            let blame = self
                .ply
                .scheme
                .symbol(score(line) - best)
                .filter(|symbol| !symbol.is_praise());
            let (&first, rest) = line.pv.split_first()?;
            Some(match blame {
                Some(symbol) => {
                    let mut remark = Remark::default().say(self.blame(symbol));
                    if let Some(&reply) = rest.first() {
                        remark = remark.arrow(Brush::Red, reply, !self.ply.mover);
                    }
                    self.variation(first, rest, Some(Nag(symbol.nag())), &remark)
                }
                None => {
                    let also = self.words(
                        "Good, too. The lesson goes on with the engine's first choice.",
                        "Auch gut. Die Lektion geht mit dem ersten Zug der Engine weiter.",
                    );
                    self.variation(first, &[], None, &Remark::default().say(also))
                }
            })
        };
        others.take(OTHERS).filter_map(variation).collect()
    }

    /// Moves that people play often, that are mistakes, and that are not among the engine's lines;
    /// only with ease.
    fn tempting(&self) -> Vec<Vec<Ply>> {
        let Some(judged) = middle(&self.ply.ease) else {
            return Vec::new();
        };
        let is_known =
            |mv: Move| mv == self.better || mv == self.ply.mv || self.line_of(mv).is_some();
        let variation = |judged_move: &EaseMove| {
            let symbol = self
                .ply
                .scheme
                .symbol(-judged_move.loss)
                .filter(|symbol| !symbol.is_praise())?;
            let percent = self.language.number(judged_move.p * 100.0, 0);
            let text = match judged.player.or(judged.level) {
                Some(level) => self
                    .words(
                        "PERCENT % of players rated LEVEL play this.",
                        "PERCENT % der Spieler mit LEVEL spielen das.",
                    )
                    .replace("LEVEL", &level.to_string()),
                None => self.words(
                    "PERCENT % of people play this.",
                    "PERCENT % der Menschen spielen das.",
                ),
            };
            let text = text.replace("PERCENT", &percent);
            let remark = Remark::default().say(self.blame(symbol)).say(text);
            Some(self.variation(judged_move.mv, &[], Some(Nag(symbol.nag())), &remark))
        };
        let tempting = judged
            .moves
            .iter()
            .filter(|judged| judged.p >= TEMPTING && !is_known(judged.mv));
        tempting.take(OTHERS).filter_map(variation).collect()
    }

    fn blame(&self, symbol: MoveSymbol) -> String {
        match symbol {
            MoveSymbol::Dubious => self.words("An inaccuracy, too.", "Auch eine Ungenauigkeit."),
            MoveSymbol::Mistake => self.words("A mistake, too.", "Auch ein Fehler."),
            _ => self.words("A blunder, too.", "Auch ein grober Fehler."),
        }
    }

    /// Returns a wrong move and the moves after it.
    fn variation(
        &self,
        first: Move,
        rest: &[Move],
        symbol: Option<Nag>,
        remark: &Remark,
    ) -> Vec<Ply> {
        let mut all = vec![first];
        all.extend(rest);
        let mut line: Vec<Ply> = cut(&self.before, &all, REFUTATION)
            .iter()
            .map(|&mv| Ply::new(mv))
            .collect();
        line[0].nags.extend(symbol);
        line[0].comments = remark.comment();
        line
    }

    /// Returns the engine's line that begins with a move.
    fn line_of(&self, mv: Move) -> Option<&[Move]> {
        self.ply
            .lines
            .iter()
            .map(|line| &*line.pv)
            .find(|line| line.first() == Some(&mv))
    }

    /// Returns the squares of a reason's targets that still stand there after the first move of its
    /// line.
    fn targets(&self, reason: &Reason, first: Move) -> Vec<Square> {
        let mut after = self.before.position().clone();
        if reason.kind == ReasonKind::Allows {
            after.play_unchecked(self.ply.mv);
        }
        let victim = !after.turn();
        after.play_unchecked(first);
        let stands = |&&(role, square): &&(Role, Square)| {
            after.board().piece_at(square)
                == Some(Piece {
                    color: victim,
                    role,
                })
        };
        reason
            .targets
            .iter()
            .filter(stands)
            .map(|(_, square)| *square)
            .collect()
    }

    /// Moves with their numbers, in the review's language.
    fn numbered(&self, moves: &[Move]) -> String {
        let mut position = self.before.position().clone();
        let (number, is_white) = (position.fullmoves().get(), position.turn().is_white());
        let san: Vec<String> = moves
            .iter()
            .map(|&mv| SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string())
            .collect();
        self.language.line(number, is_white, &san)
    }
}

/// Returns the first moves of a line, at most `most`. No capture stands at the end, since another
/// may answer it, unless it mates or nothing else is left; one move is always left.
fn cut<'a>(before: &History, line: &'a [Move], most: usize) -> &'a [Move] {
    let is_whole = line.len() <= most;
    let line = &line[..line.len().min(most)];
    let mut end = before.position().clone();
    line.iter().for_each(|&mv| end.play_unchecked(mv));
    if is_whole || end.is_checkmate() {
        return line;
    }
    let quiet = line
        .iter()
        .rposition(|mv| !mv.is_capture())
        .map_or(0, |last| last + 1);
    if quiet < 2 { line } else { &line[..quiet] }
}
