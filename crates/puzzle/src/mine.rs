//! The default rules: a position is a puzzle if one move alone reaches an expected score that matters.

use centipawn_core::History;
use centipawn_engine::{Analyst, AnalystError, Limit, Question};
use centipawn_pgn::{Game, GameEvals};
use shakmaty::{Move, Position as _, Role};

use crate::{
    Candidate, Goal, LineEnd, Puzzle, Rule, Scale, Solution, Theme, Tree, Verdict, exchange,
    prove::{Judged, Prover, Stop, key},
};

/// Evaluations of another source than the search that verifies may be so far off, in expected score.
const DOUBT: f64 = 0.15;
/// The expected score that a move must lose, or an opponent's error give, for a position to be looked at.
const SWING: f64 = 0.2;

/// How hard the engine works for a puzzle, and how large a solution may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Nodes for a position whose evaluation nobody tells, one line.
    pub scan: u64,
    /// Nodes of the stages of verification with two lines, rising, each with the slack of its limits; the last asks a little
    /// more than the rule, so that its answer stands when others look deeper.
    pub stages: Vec<(u64, f64)>,
    /// Nodes for a later position of the solver.
    pub solver: u64,
    /// Nodes for the opponent's best defences.
    pub reply: u64,
    /// Least moves of the solver in the main line.
    pub least: u8,
    /// Most moves of the solver in a line.
    pub depth: u8,
    /// Most positions of the solver in a solution.
    pub positions: u16,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            scan: 10_000,
            stages: vec![(30_000, 0.3), (100_000, 0.15), (500_000, -0.03)],
            solver: 250_000,
            reply: 100_000,
            least: 1,
            depth: 12,
            positions: 32,
        }
    }
}

impl Limits {
    /// The same with all numbers of nodes multiplied.
    #[must_use]
    pub fn scaled(&self, scale: f64) -> Self {
        let nodes = |nodes: u64| (nodes as f64 * scale).round().max(1.0) as u64;
        Self {
            scan: nodes(self.scan),
            stages: self.stages.iter().map(|(stage, slack)| (nodes(*stage), *slack)).collect(),
            solver: nodes(self.solver),
            reply: nodes(self.reply),
            ..*self
        }
    }
}

/// Finds puzzles in games by expected score: the default rules.
///
/// The cheapest question comes first. What the game or one short search of each position tells leaves the positions where the
/// opponent erred, or the mover missed something, or gave material up; what the rules of chess tell refuses only moves and
/// those that take back. Two lines with ever more nodes must show one move that wins, or saves, and no second one. Then the
/// solution is followed to its end.
#[derive(Clone, Debug)]
pub struct Miner {
    /// From evaluations to expected scores.
    pub scale: Scale,
    /// When a move stands alone.
    pub rule: Rule,
    /// How hard the engine works.
    pub limits: Limits,
}

/// A game on its way through the mine.
struct InGame<'a> {
    miner: &'a Miner,
    game: &'a Game,
    positions: Vec<History>,
    told: Option<&'a GameEvals>,
    /// Expected scores of the side to move, as far as they were asked for.
    scores: Vec<Option<f64>>,
    prover: Prover<'a>,
}

/// What is cheap to know of a position in which a move was played. Expected scores are the mover's.
struct Swing {
    here: f64,
    /// Before the opponent's last move.
    before: f64,
    /// Of the move that was played.
    played: f64,
    /// Whether the played move gives material up.
    is_sacrifice: bool,
}

impl Miner {
    /// All candidates of a game, in its order; puzzles among them have their solution. `told` are the evaluations to be taken
    /// from the game. `on_position` hears of each position that was looked at.
    ///
    /// A position that the analyst cannot answer is no candidate; `on_failure` hears of it, and the game goes on.
    ///
    /// # Errors
    ///
    /// [`AnalystError::Cancelled`] only.
    pub fn mine(
        &self,
        game: &Game,
        told: Option<&GameEvals>,
        analyst: &dyn Analyst,
        mut on_position: impl FnMut(),
        mut on_failure: impl FnMut(usize, AnalystError),
    ) -> Result<Vec<Candidate>, AnalystError> {
        let mut positions: Vec<History> = game.mainline().map(|(history, _)| history).collect();
        positions.push(game.end());
        let prover = Prover { analyst, scale: self.scale, rule: self.rule, limits: &self.limits };
        let scores = vec![None; positions.len()];
        let mut in_game = InGame { miner: self, game, positions, told, scores, prover };
        let mut candidates: Vec<Candidate> = Vec::new();
        for ply in 1..=game.plies.len() {
            match in_game.look(ply, &candidates) {
                Ok(candidate) => candidates.extend(candidate),
                Err(AnalystError::Cancelled) => return Err(AnalystError::Cancelled),
                Err(error) => on_failure(ply, error),
            }
            on_position();
        }
        Ok(candidates)
    }

    /// Whether the evaluations leave it possible that a move stands alone here, and that somebody made it so.
    fn is_worth_a_look(&self, swing: &Swing) -> bool {
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
}

impl InGame<'_> {
    /// Expected score of a position for its side to move: told, final, or from a short search.
    fn score(&mut self, ply: usize) -> Result<f64, AnalystError> {
        if let Some(score) = self.scores[ply] {
            return Ok(score);
        }
        let history = &self.positions[ply];
        let position = history.position();
        let told = self.told.and_then(|told| told.of_position(ply, history));
        let score = if position.is_checkmate() {
            0.0
        } else if position.legal_moves().is_empty() || position.is_insufficient_material() {
            0.5
        } else if let Some(eval) = told {
            self.miner.scale.of_eval(eval, position)
        } else {
            let question = Question::new(history.clone(), Limit::Nodes(self.miner.limits.scan));
            let analysis = self.prover.analyst.analyse(&question)?;
            analysis.best().map_or(0.5, |line| self.miner.scale.of_line(line, position))
        };
        self.scores[ply] = Some(score);
        Ok(score)
    }

    fn look(&mut self, ply: usize, earlier: &[Candidate]) -> Result<Option<Candidate>, AnalystError> {
        let position = self.positions[ply].position();
        // A puzzle has a choice.
        if position.legal_moves().len() < 2 {
            return Ok(None);
        }
        let played = self.game.plies.get(ply).map(|ply| ply.mv);
        let is_sacrifice = played.is_some_and(|played| exchange(position, played) < 0);
        let here = self.score(ply)?;
        let before = 1.0 - self.score(ply - 1)?;
        // Where the game ends nobody missed anything.
        let worth = if played.is_some() { 1.0 - self.score(ply + 1)? } else { here };
        let swing = Swing { here, before, played: worth, is_sacrifice };
        if !self.miner.is_worth_a_look(&swing) {
            return Ok(None);
        }
        // The puzzle knows of one move; what stood on the board before that is no draw in it.
        let mut history = History::new(self.positions[ply - 1].position().clone(), self.positions[ply].mode());
        history.push(self.game.plies[ply - 1].mv);
        let mut candidate =
            Candidate { ply, history, played, best: None, verdict: Verdict::NotWon, stages: 0, puzzle: None };
        // If the played move keeps what there is, it is the solution or there is none.
        let keeps = swing.here - swing.played < DOUBT / 3.0;
        if keeps && played.is_some_and(|played| takes_back(&candidate.history, played)) {
            candidate.verdict = Verdict::TakesBack;
        } else if is_in_solution(earlier, &candidate.history) {
            candidate.verdict = Verdict::InSolution;
        } else {
            match self.prove(&mut candidate, earlier) {
                Ok(()) => {}
                Err(Stop::Refused(verdict)) => candidate.verdict = verdict,
                Err(Stop::Failed(error)) => return Err(error),
            }
        }
        Ok(Some(candidate))
    }

    /// Stage after stage, and then the solution.
    fn prove(&self, candidate: &mut Candidate, earlier: &[Candidate]) -> Result<(), Stop> {
        let (rule, prover) = (&self.miner.rule, &self.prover);
        let mut found: Option<(Judged, Goal)> = None;
        for &(nodes, slack) in &self.miner.limits.stages {
            let (worths, continuation) = prover.search_on(&candidate.history, nodes, 2)?;
            let [best, second, ..] = worths[..] else { return Err(Stop::Refused(Verdict::NotWon)) };
            candidate.best = Some(best.mv);
            let Some(goal) = rule.goal(best.expected, second.expected, slack) else {
                return Err(Stop::Refused(refusal(rule, best.expected)));
            };
            if takes_back(&candidate.history, best.mv) {
                return Err(Stop::Refused(Verdict::TakesBack));
            }
            if is_missed_again(earlier, candidate.ply, best.mv) {
                return Err(Stop::Refused(Verdict::Again));
            }
            candidate.stages += 1;
            found = Some((Judged { correct: vec![best], is_alone: true, continuation }, goal));
        }
        let Some((first, goal)) = found else { return Ok(()) };
        let tree = prover.tree(&candidate.history, &first, goal)?;
        refuse_plain(&candidate.history, &tree, self.miner.limits.least)?;
        candidate.verdict = match goal {
            Goal::Win => Verdict::Wins,
            Goal::Save => Verdict::Saves,
        };
        let mut puzzle = self.puzzle(candidate, tree, goal)?;
        self.add_zugzwang(&mut puzzle, &candidate.history)?;
        candidate.puzzle = Some(Box::new(puzzle));
        Ok(())
    }

    fn puzzle(&self, candidate: &Candidate, tree: Tree, goal: Goal) -> Result<Puzzle, Stop> {
        let before = &self.positions[candidate.ply - 1];
        let start = History::new(before.position().clone(), before.mode());
        let moves = std::iter::once(self.game.plies[candidate.ply - 1].mv).chain(tree.main_moves());
        let solution = Solution::new(start.position(), moves).map_err(|_| Stop::Refused(Verdict::DoesNotHold))?;
        let mut puzzle = Puzzle::of(&start, solution);
        puzzle.url = url(self.game, candidate.ply);
        let last = tree.main_line().last().and_then(|node| tree.nodes()[node].answers[0].eval);
        puzzle.tree = Some(tree);
        puzzle.tag();
        add_players(&mut puzzle, self.game);
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

    /// Whether the opponent would be better off if he need not move, after one of the solver's moves.
    fn add_zugzwang(&self, puzzle: &mut Puzzle, history: &History) -> Result<(), Stop> {
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
                let nodes = self.miner.limits.reply;
                let to_move = self.prover.search(&now, nodes, 1)?;
                let waiting = History::new(waiting, now.mode());
                let solver_again = self.prover.search(&waiting, nodes, 1)?;
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

/// Refuses what is too short, and what is over with a move that everybody sees: one that wins material at once, or a queen.
fn refuse_plain(history: &History, tree: &Tree, least: u8) -> Result<(), Stop> {
    let (moves, first) = (tree.main_line().count(), tree.nodes()[0].main());
    let is_plain = moves == 1 && tree.nodes()[0].end != Some(LineEnd::Mate);
    if is_plain && first.promotion() == Some(Role::Queen) {
        Err(Stop::Refused(Verdict::Queening))
    } else if is_plain && exchange(history.position(), first) > 0 {
        Err(Stop::Refused(Verdict::WinsMaterial))
    } else if moves < least.into() {
        Err(Stop::Refused(Verdict::TooShort))
    } else {
        Ok(())
    }
}

/// Why the two best moves are no puzzle.
fn refusal(rule: &Rule, best: f64) -> Verdict {
    if best >= rule.won {
        Verdict::SecondWins
    } else if best >= rule.saved {
        Verdict::SecondSaves
    } else {
        Verdict::NotWon
    }
}

/// Whether a move takes what has just taken, at no loss: everybody sees it.
fn takes_back(history: &History, mv: Move) -> bool {
    let Some(last) = history.moves().last() else { return false };
    last.is_capture() && mv.is_capture() && mv.to() == last.to() && exchange(history.position(), mv) >= 0
}

/// Whether a puzzle of the same game asks for this position.
fn is_in_solution(earlier: &[Candidate], history: &History) -> bool {
    let wanted = key(history);
    let puzzles = earlier.iter().filter_map(|candidate| candidate.puzzle.as_ref());
    let asks = |puzzle: &Puzzle| match &puzzle.tree {
        Some(tree) => tree.positions(&puzzle.shown()).iter().any(|position| key(position) == wanted),
        None => false,
    };
    puzzles.rev().any(|puzzle| asks(puzzle))
}

/// Whether the same move was a puzzle's solution a moment ago, and is there still: one of them is enough.
fn is_missed_again(earlier: &[Candidate], ply: usize, best: Move) -> bool {
    const A_MOMENT: usize = 4;
    let is_same = |candidate: &Candidate| {
        (candidate.puzzle.is_some() || candidate.verdict == Verdict::Again) && candidate.best == Some(best)
    };
    earlier.iter().rev().take_while(|candidate| candidate.ply + A_MOMENT >= ply).any(is_same)
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
