//! The default rules: a position is a puzzle if one move alone reaches an expected score that matters.

use centipawn_core::History;
use centipawn_engine::{Analyst, AnalystError};
use centipawn_pgn::Game;
use shakmaty::{Chess, Move, Position as _, Role};

use crate::{
    FoundKind, Goal, Limits, LineEnd, Puzzle, Refusal, Rule, Scorer, Solution, Theme, Tree, exchange,
    solution_search::{CorrectMoves, SolutionSearch, Stop},
};

/// How far evaluations of another source may be from those of the search that verifies, in expected score.
const DOUBT: f64 = 0.15;
/// The expected score that a move must lose, or an opponent's error give, for a position to be looked at.
const SWING: f64 = 0.2;

/// Finds puzzles in games by expected score: the default rules.
///
/// The cheapest question comes first. The game's evaluations, or one short search of each position, leave the positions where the
/// opponent erred, or the mover missed something, or gave material up; the rules of chess refuse only moves and those that take
/// back. Two lines with ever more nodes must show one move that wins, or saves, and no second one. Then the solution is followed
/// to its end. [`MiningRules`](crate::MiningRules) runs them on a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Miner {
    /// From evaluations to expected scores.
    pub scorer: Scorer,
    /// When a move stands alone.
    pub rule: Rule,
    /// How hard the engine works.
    pub limits: Limits,
}

/// What the evaluations around a position in which a move was played say; expected scores are the mover's.
#[derive(Clone, Copy)]
pub(crate) struct Swing {
    pub(crate) here: f64,
    /// Before the opponent's last move.
    pub(crate) before: f64,
    /// Of the move that was played; where the game ends, nobody missed anything, and it is `here`.
    pub(crate) played: f64,
    /// Whether the played move gives material up.
    pub(crate) is_sacrifice: bool,
}

impl Swing {
    /// Whether the played move keeps what there is: then it is the solution, or there is none.
    pub(crate) fn is_kept(&self) -> bool {
        self.here - self.played < DOUBT / 3.0
    }
}

/// A position that may be a puzzle.
pub(crate) struct Suspect<'a> {
    pub(crate) game: &'a Game,
    /// Half-moves of the game before the position, at least 1.
    pub(crate) ply: usize,
    /// The position before the opponent's move.
    pub(crate) before: &'a Chess,
    /// The position, from [`before`](Self::before) and the opponent's move: all that a solver of the puzzle knows.
    pub(crate) history: &'a History,
}

/// What a proof found, stage by stage, so that checks against earlier puzzles can be made afterwards.
#[derive(Debug)]
pub(crate) struct Proof {
    /// The best move of each stage that came to the check against earlier puzzles' moves.
    pub(crate) checked: Vec<Move>,
    /// The best move of the last search.
    pub(crate) best: Option<Move>,
    /// Stages passed.
    pub(crate) stages: usize,
    /// The puzzle, or why there is none.
    pub(crate) end: Result<(FoundKind, Box<Puzzle>), Stop>,
}

impl Miner {
    /// Whether the evaluations leave it possible that a move stands alone here, and that somebody made it so.
    pub(crate) fn is_worth_a_look(&self, swing: &Swing) -> bool {
        let Swing { here, before, played, is_sacrifice } = *swing;
        let rule = &self.rule;
        let is_given = here - before >= SWING;
        let is_missed = here - played >= SWING;
        let is_kept_by_sacrifice = is_sacrifice && here - played < DOUBT;
        if here < rule.saved - DOUBT || !(is_given || is_missed || is_kept_by_sacrifice) {
            return false;
        }
        // A move that is not the best is at most the second, and must be bad enough for the best to stand alone.
        let is_other_move = here - played > DOUBT;
        let may_win = here >= rule.won - DOUBT && (!is_other_move || played <= rule.not_won + DOUBT);
        let may_save = here < rule.won && (!is_other_move || played <= rule.lost + DOUBT);
        may_win || may_save
    }

    /// Stage after stage, and then the solution. After each stage `is_refused` hears its best move; `true` ends the proof, since an
    /// earlier puzzle of the game refuses this one.
    pub(crate) fn prove(
        &self,
        suspect: &Suspect<'_>,
        analyst: &dyn Analyst,
        is_refused: impl FnMut(Move) -> bool,
    ) -> Proof {
        let mut proof = Proof { checked: Vec::new(), best: None, stages: 0, end: Err(Stop::Refused(Refusal::NotWon)) };
        let search = SolutionSearch { analyst, scorer: self.scorer, rule: self.rule, limits: &self.limits };
        proof.end = self.prove_stages(suspect, &search, &mut proof, is_refused);
        proof
    }

    fn prove_stages(
        &self,
        suspect: &Suspect<'_>,
        search: &SolutionSearch<'_>,
        proof: &mut Proof,
        mut is_refused: impl FnMut(Move) -> bool,
    ) -> Result<(FoundKind, Box<Puzzle>), Stop> {
        let mut found: Option<(CorrectMoves, Goal)> = None;
        for &(nodes, slack) in &self.limits.stages {
            let (moves, continuation) = search.best_moves_and_line(suspect.history, nodes, 2)?;
            let [best, second, ..] = moves[..] else { return Err(Refusal::NotWon.into()) };
            proof.best = Some(best.mv);
            let Some(goal) = self.rule.goal(best.expected, second.expected, slack) else {
                return Err(refusal(&self.rule, best.expected).into());
            };
            if takes_back(suspect.history, best.mv) {
                return Err(Refusal::TakesBack.into());
            }
            proof.checked.push(best.mv);
            if is_refused(best.mv) {
                return Err(Refusal::Again.into());
            }
            proof.stages += 1;
            found = Some((CorrectMoves { correct: vec![best], is_alone: true, continuation }, goal));
        }
        let Some((first, goal)) = found else { return Err(Refusal::NotWon.into()) };
        let tree = search.tree(suspect.history, &first, goal)?;
        refuse_plain(suspect.history, &tree, self.limits.min_moves)?;
        let kind = match goal {
            Goal::Win => FoundKind::Wins,
            Goal::Save => FoundKind::Saves,
        };
        let mut puzzle = puzzle(suspect, tree, goal)?;
        self.add_zugzwang(search, &mut puzzle, suspect.history)?;
        Ok((kind, Box::new(puzzle)))
    }

    /// Adds the theme zugzwang if the opponent would be better off without having to move, after one of the solver's moves.
    fn add_zugzwang(
        &self,
        search: &SolutionSearch<'_>,
        puzzle: &mut Puzzle,
        history: &History,
    ) -> Result<(), AnalystError> {
        const MOST_MOVES: usize = 15;
        const WORSE: f64 = 0.3;
        let mut now = history.clone();
        let moves: Vec<Move> = puzzle.solution.line().collect();
        for pair in moves.chunks(2) {
            now.push(pair[0]);
            let position = now.position();
            let count = position.legal_moves().len();
            let is_quiet = !position.is_check() && (1..=MOST_MOVES).contains(&count);
            let has_few = (position.board().occupied() & !position.board().by_role(Role::Pawn)).count() <= 6;
            if is_quiet
                && has_few
                && let Ok(waiting) = position.clone().swap_turn()
            {
                let nodes = self.limits.reply;
                let to_move = search.best_moves(&now, nodes, 1)?;
                let waiting = History::new(waiting, now.mode());
                let solver_again = search.best_moves(&waiting, nodes, 1)?;
                if let ([moving], [passing]) = (&to_move[..], &solver_again[..])
                    && (1.0 - passing.expected) - moving.expected > WORSE
                {
                    puzzle.themes.insert(Theme::Zugzwang);
                    return Ok(());
                }
            }
            if let Some(reply) = pair.get(1) {
                now.push(*reply);
            }
        }
        Ok(())
    }
}

fn puzzle(suspect: &Suspect<'_>, tree: Tree, goal: Goal) -> Result<Puzzle, Stop> {
    let Suspect { game, ply, before, history } = *suspect;
    let start = History::new(before.clone(), history.mode());
    let moves = std::iter::once(game.plies[ply - 1].mv).chain(tree.main_moves());
    let solution = Solution::new(start.position(), moves).map_err(|_| Refusal::DoesNotHold)?;
    let mut puzzle = Puzzle::of(&start, solution);
    puzzle.url = url(game, ply);
    let last = tree.main_line().last().and_then(|node| tree.nodes()[node].answers[0].eval);
    puzzle.tree = Some(tree);
    puzzle.tag();
    add_players(&mut puzzle, game);
    // As the public generator has it, by the engine's centipawns.
    if !puzzle.themes.contains(Theme::Mate) {
        let pawns = last.map_or(f64::INFINITY, |eval| eval.pawns().unwrap_or(f64::INFINITY));
        puzzle.themes.insert(match goal {
            Goal::Save => Theme::Equality,
            Goal::Win if pawns > 6.0 => Theme::Crushing,
            Goal::Win => Theme::Advantage,
        });
    }
    Ok(puzzle)
}

/// Refuses what is too short, and what is over with a move that everybody sees: one that wins material at once, or a queen.
fn refuse_plain(history: &History, tree: &Tree, min_moves: u8) -> Result<(), Stop> {
    let (moves, first) = (tree.main_line().count(), tree.nodes()[0].main());
    let is_plain = moves == 1 && tree.nodes()[0].end != Some(LineEnd::Mate);
    if is_plain && first.promotion() == Some(Role::Queen) {
        Err(Stop::Refused(Refusal::Queening))
    } else if is_plain && exchange(history.position(), first) > 0 {
        Err(Stop::Refused(Refusal::WinsMaterial))
    } else if moves < min_moves.into() {
        Err(Stop::Refused(Refusal::TooShort))
    } else {
        Ok(())
    }
}

/// Why the two best moves are no puzzle.
fn refusal(rule: &Rule, best: f64) -> Refusal {
    if best >= rule.won {
        Refusal::SecondWins
    } else if best >= rule.saved {
        Refusal::SecondSaves
    } else {
        Refusal::NotWon
    }
}

/// Whether a move takes what has just taken, at no loss: everybody sees it.
pub(crate) fn takes_back(history: &History, mv: Move) -> bool {
    let Some(last) = history.moves().last() else { return false };
    last.is_capture() && mv.is_capture() && mv.to() == last.to() && exchange(history.position(), mv) >= 0
}

/// Themes that the players' titles tell.
fn add_players(puzzle: &mut Puzzle, game: &Game) {
    /// The rating from which on a grandmaster is a super grandmaster.
    const SUPER: u32 = 2700;
    let titled = |side: &str| {
        let title = game.headers.get(&format!("{side}Title")).map(str::trim).unwrap_or_default();
        (!matches!(title, "" | "-" | "?" | "BOT" | "LM")).then_some(title)
    };
    let rating = |side: &str| game.headers.get(&format!("{side}Elo")).and_then(|elo| elo.trim().parse::<u32>().ok());
    let titles = ["White", "Black"].map(titled);
    if titles.iter().any(Option::is_some) {
        puzzle.themes.insert(Theme::Master);
    }
    if titles.iter().all(Option::is_some) {
        puzzle.themes.insert(Theme::MasterVsMaster);
    }
    if ["White", "Black"].into_iter().any(|side| titled(side) == Some("GM") && rating(side) >= Some(SUPER)) {
        puzzle.themes.insert(Theme::SuperGm);
    }
}

/// Where the game stands, at this half-move, if its tags say where.
pub(crate) fn url(game: &Game, ply: usize) -> String {
    let tags = ["Site", "GameUrl", "Link"];
    let site = tags.iter().find_map(|tag| game.headers.get(tag).filter(|url| url.starts_with("http")));
    match site {
        // Others have no such addresses.
        Some(url) if url.contains("lichess.org/") => format!("{url}#{ply}"),
        Some(url) => url.to_owned(),
        None => String::new(),
    }
}
