//! The default rules: a position is a puzzle if only one move reaches a decisive expected score.

use centipawn_core::{History, static_exchange_eval};
use centipawn_engine::{Analyst, AnalystError};
use centipawn_pgn::{Game, rating};
use shakmaty::{Chess, Move, Position as _, Role};

use crate::{
    Candidate, FoundKind, Goal, Limits, LineEnd, Node, Puzzle, PuzzleGame, Refusal, Rule, Scorer,
    Solution, SolverFilter, Theme, Tree, Verdict,
    candidate::before_last,
    outlook::may_go_on,
    save::{is_obvious, refusal_of_save},
    solution_search::{CorrectMoves, SolutionSearch, Stop},
    swing::{Swing, Worth},
    tree_growth::{grow, is_short_mate},
};

/// A win of more than this many win-draw balances is crushing. It corresponds to Lichess' 600
/// centipawns for Stockfish 14, which wins half its games at 167 centipawns.
const CRUSHING: f64 = 3.6;

/// Finds puzzles in games by expected score: the default rules.
///
/// Cheap checks come first. The game's evaluations, or one short search of each position, select
/// the positions in which the opponent erred, the mover missed something, or the mover sacrificed
/// material. Forced moves and recaptures are refused without a search. Searches with two lines and
/// increasing node counts must then show that one move wins or saves, and no second one does.
/// Finally, the search follows the solution to its end. [`MiningRules`](crate::MiningRules) applies
/// the rules to a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Miner {
    /// Converts evaluations to expected scores.
    pub scorer: Scorer,
    /// The rule that decides whether a move is the only good move.
    pub rule: Rule,
    /// Limits of searches, and of the size of a solution.
    pub limits: Limits,
    /// Selects puzzles by the player to move.
    pub solver: SolverFilter,
}

/// A position that may be a puzzle.
pub(crate) struct Suspect<'a> {
    pub(crate) game: &'a Game,
    /// Number of plies of the game before the position, at least 1.
    pub(crate) ply: usize,
    /// The position before the opponent's move.
    pub(crate) before: &'a Chess,
    /// The position, reached from [`before`](Self::before) by the opponent's move. It has no
    /// earlier moves, because the solver of a puzzle does not know them.
    pub(crate) history: &'a History,
    /// Evaluations around the position.
    pub(crate) swing: &'a Swing,
}

/// The result of a proof, stage by stage. It is checked against earlier puzzles afterwards, which
/// may refuse it at one of the stages.
#[derive(Debug)]
pub(crate) struct Proof {
    /// The best move of each stage. These are the moves that the check against earlier puzzles
    /// needs.
    pub(crate) checked: Vec<Move>,
    /// The best move of the last search.
    pub(crate) best: Option<Move>,
    /// Number of stages passed.
    pub(crate) stages: usize,
    /// The puzzle, or the reason why there is none.
    pub(crate) end: Result<(FoundKind, Box<Puzzle>), Stop>,
}

impl Miner {
    /// Runs the verification stages, then finds the solution. `is_refused` is called with the best
    /// move of each stage. If it returns `true`, the proof ends, because an earlier puzzle of the
    /// game refuses this one.
    pub(crate) fn prove(
        &self,
        suspect: &Suspect<'_>,
        analyst: &dyn Analyst,
        is_refused: impl FnMut(Move) -> bool,
    ) -> Proof {
        let mut proof = Proof {
            checked: Vec::new(),
            best: None,
            stages: 0,
            end: Err(Stop::Refused(Refusal::NotWon)),
        };
        let search = SolutionSearch::new(analyst, self.scorer, self.rule, &self.limits);
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
        let played = suspect.game.plies.get(suspect.ply).map(|ply| ply.mv);
        for (stage, &(nodes, slack)) in self.limits.stages.iter().enumerate() {
            let (moves, continuation) = search.best_moves_and_line(suspect.history, nodes, 2)?;
            let [best, second, ..] = moves[..] else {
                return Err(Refusal::NotWon.into());
            };
            proof.best = Some(best.mv);
            let Some(goal) = self.rule.goal(best.expected, second.expected, slack) else {
                let refusal = self.rule.refusal(best.expected, second.expected);
                // The game's evaluation comes from a deeper search than the first stage, so it
                // overrules this refusal.
                if stage == 0
                    && refusal != Refusal::SecondWins
                    && suspect.swing.is_known_won(&self.rule)
                {
                    continue;
                }
                return Err(refusal.into());
            };
            if self.solver.missed && played == Some(best.mv) {
                return Err(Refusal::WasPlayed.into());
            }
            proof.checked.push(best.mv);
            if is_refused(best.mv) {
                return Err(Refusal::Again.into());
            }
            proof.stages += 1;
            // Refuse saves that are not puzzles before the last stage, except saves that may still
            // turn out to be wins.
            let is_last = stage + 1 == self.limits.stages.len();
            let is_save =
                goal == Goal::Save && (is_last || stage > 0 && best.expected < self.rule.not_won);
            if is_save
                && let Some(refusal) =
                    refusal_of_save(suspect.history, &best, suspect.swing.allows_save(), is_last)
            {
                return Err(refusal.into());
            }
            // The last stage costs most, so solutions that will be too short are refused before it.
            if stage + 2 == self.limits.stages.len() && !is_short_mate(&best) {
                self.look_ahead(suspect.history, best.mv, goal, search)?;
            }
            found = Some((
                CorrectMoves {
                    correct: vec![best],
                    next: Some(second),
                    is_alone: true,
                    continuation,
                },
                goal,
            ));
        }
        let Some((first, goal)) = found else {
            return Err(Refusal::NotWon.into());
        };
        let tree = grow(search, suspect.history, &first, goal)?;
        refuse_short(suspect.history, &tree, self.limits.min_moves)?;
        if goal == Goal::Save && is_obvious(suspect.history, &tree) {
            return Err(Refusal::ObviousDefence.into());
        }
        if !search.is_confirmed(
            suspect.history,
            goal,
            is_short_mate(&first.correct[0]),
            &first,
            true,
        )? {
            return Err(Refusal::Unsure.into());
        }
        let kind = match goal {
            Goal::Win => FoundKind::Wins,
            Goal::Save => FoundKind::Saves,
        };
        let mut puzzle = puzzle(suspect, tree, goal, &self.scorer)?;
        self.add_zugzwang(search, &mut puzzle, suspect.history)?;
        Ok((kind, Box::new(puzzle)))
    }

    /// Finds the solution of a position that other rules have found. Where no line of several moves
    /// holds, it is the first move. Leaves a candidate without a puzzle if the game begins with the
    /// position, because a puzzle shows the move before it.
    pub(crate) fn solve(
        &self,
        candidate: &mut Candidate,
        game: &Game,
        analyst: &dyn Analyst,
    ) -> Result<(), AnalystError> {
        let (Some((_, before)), Some(best)) = (before_last(&candidate.history), candidate.best)
        else {
            return Ok(());
        };
        if candidate.ply == 0 {
            return Ok(());
        }
        // The solver of a puzzle does not know the earlier moves.
        let position = candidate.history.position().clone();
        let history = History::new(position, candidate.history.mode());
        let search = SolutionSearch::new(analyst, self.scorer, self.rule, &self.limits);
        let nodes = self
            .limits
            .stages
            .last()
            .map_or(self.limits.solver, |&(nodes, _)| nodes);
        let (moves, continuation) = search.best_moves_and_line(&history, nodes, 2)?;
        let Some(first) = moves.iter().find(|mv| mv.mv == best).copied() else {
            return Ok(());
        };
        let found = CorrectMoves {
            correct: vec![first],
            next: moves.iter().find(|mv| mv.mv != best).copied(),
            is_alone: true,
            continuation: continuation.clone(),
        };
        let tree = match grow(&search, &history, &found, Goal::Win) {
            Ok(tree) => tree,
            Err(Stop::Failed(error)) => return Err(error),
            Err(Stop::Refused(_)) => Tree {
                nodes: vec![Node {
                    answers: vec![first.into()],
                    replies: Vec::new(),
                    end: Some(LineEnd::Choice),
                    continuation,
                }],
            },
        };
        // The classic rules tell a mistake that was just made from a chance that was missed.
        let is_given = candidate.verdict == Verdict::Found(FoundKind::Blunder);
        let earlier = if is_given { 0.5 } else { first.expected };
        let swing = Swing::new(
            Worth::certain(first.expected),
            Worth::certain(earlier),
            None,
            false,
        );
        let suspect = Suspect {
            game,
            ply: candidate.ply,
            before: before.position(),
            history: &history,
            swing: &swing,
        };
        match puzzle(&suspect, tree, Goal::Win, &self.scorer) {
            Ok(mut puzzle) => {
                self.add_zugzwang(&search, &mut puzzle, &history)?;
                candidate.puzzle = Some(Box::new(puzzle));
                Ok(())
            }
            Err(Stop::Failed(error)) => Err(error),
            Err(Stop::Refused(_)) => Ok(()),
        }
    }

    /// Refuses a first move that would be refused alone, if a short search shows that nothing
    /// follows it.
    fn look_ahead(
        &self,
        history: &History,
        first: Move,
        goal: Goal,
        search: &SolutionSearch<'_>,
    ) -> Result<(), Stop> {
        let Some(refusal) = refusal_alone(history, first, self.limits.min_moves) else {
            return Ok(());
        };
        let mut after = history.clone();
        after.push(first);
        if may_go_on(search, &after, goal)? {
            Ok(())
        } else {
            Err(refusal.into())
        }
    }

    /// Adds the theme zugzwang if the opponent would rather pass after one of the solver's moves.
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
            let has_few =
                (position.board().occupied() & !position.board().by_role(Role::Pawn)).count() <= 6;
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

fn puzzle(suspect: &Suspect<'_>, tree: Tree, goal: Goal, scorer: &Scorer) -> Result<Puzzle, Stop> {
    let Suspect {
        game,
        ply,
        before,
        history,
        ..
    } = *suspect;
    let start = History::new(before.clone(), history.mode());
    let moves = std::iter::once(game.plies[ply - 1].mv).chain(tree.main_moves());
    let solution = Solution::new(start.position(), moves).map_err(|_| Refusal::DoesNotHold)?;
    let mut puzzle = Puzzle::of(&start, solution);
    puzzle.url = url(game, ply);
    puzzle.game = Some(game_of(suspect, &tree));
    let last = tree
        .main_line()
        .last()
        .and_then(|node| tree.nodes()[node].answers[0].eval);
    puzzle.tree = Some(tree);
    puzzle.tag();
    add_players(&mut puzzle, game);
    // The thresholds are those of the public generator, in units of the engine's win-draw balance
    // instead of centipawns.
    if !puzzle.themes.contains(Theme::Mate) {
        let balance = puzzle
            .solution
            .asked()
            .last()
            .map_or(1.0, |position| scorer.balance(position));
        let pawns = last.map_or(f64::INFINITY, |eval| eval.pawns().unwrap_or(f64::INFINITY));
        puzzle.themes.insert(match goal {
            Goal::Save => Theme::Equality,
            Goal::Win if pawns > CRUSHING * balance => Theme::Crushing,
            Goal::Win => Theme::Advantage,
        });
    }
    Ok(puzzle)
}

/// Returns the game of a puzzle, with the players who erred in it.
fn game_of(suspect: &Suspect<'_>, tree: &Tree) -> PuzzleGame {
    let Suspect {
        game,
        ply,
        history,
        swing,
        ..
    } = *suspect;
    let (played, solver) = (game.plies.get(ply), history.turn());
    let mut puzzle_game = PuzzleGame::of(game);
    if swing.is_given() {
        puzzle_game.erred.push((!solver).into());
    }
    if let Some(played) = played {
        puzzle_game.played = played.san(history.position()).to_string();
        if !tree.nodes()[0].is_correct(played.mv) {
            puzzle_game.erred.push(solver.into());
        }
    }
    puzzle_game
}

/// Refuses solutions that are too short. A mate in one is long enough unless at least three moves
/// are required.
fn refuse_short(history: &History, tree: &Tree, min_moves: u8) -> Result<(), Stop> {
    let (moves, first) = (tree.main_line().count(), tree.nodes()[0].main());
    let is_mate_in_one = moves == 1 && tree.nodes()[0].end == Some(LineEnd::Mate);
    let refusal = match moves {
        1 if is_mate_in_one => (min_moves > 2).then_some(Refusal::TooShort),
        1 => refusal_alone(history, first, min_moves),
        _ => (moves < min_moves.into()).then_some(Refusal::TooShort),
    };
    refusal.map_or(Ok(()), |refusal| Err(refusal.into()))
}

/// Returns the reason to refuse a solution that consists of only this move, which does not mate: it
/// is obvious (a recapture, an immediate gain of material or a promotion to a queen), or more moves
/// are required.
fn refusal_alone(history: &History, first: Move, min_moves: u8) -> Option<Refusal> {
    if first.promotion() == Some(Role::Queen) {
        Some(Refusal::Queening)
    } else if takes_back(history, first) {
        Some(Refusal::TakesBack)
    } else if static_exchange_eval(history.position(), first) > 0 {
        Some(Refusal::WinsMaterial)
    } else {
        (min_moves > 1).then_some(Refusal::TooShort)
    }
}

/// Returns whether a move recaptures without loss, which is obvious if nothing follows.
pub(crate) fn takes_back(history: &History, mv: Move) -> bool {
    let Some(last) = history.moves().last() else {
        return false;
    };
    last.is_capture()
        && mv.is_capture()
        && mv.to() == last.to()
        && static_exchange_eval(history.position(), mv) >= 0
}

/// Adds the themes that follow from the players' titles.
fn add_players(puzzle: &mut Puzzle, game: &Game) {
    /// Minimum rating of a grandmaster for the theme `superGM`.
    const SUPER: f64 = 2700.0;
    let titled = |side: &str| {
        let title = game
            .headers
            .get(&format!("{side}Title"))
            .map(str::trim)
            .unwrap_or_default();
        (!matches!(title, "" | "-" | "?" | "BOT" | "LM")).then_some(title)
    };
    let elo = |side: &str| game.headers.get(&format!("{side}Elo")).and_then(rating);
    let titles = ["White", "Black"].map(titled);
    if titles.iter().any(Option::is_some) {
        puzzle.themes.insert(Theme::Master);
    }
    if titles.iter().all(Option::is_some) {
        puzzle.themes.insert(Theme::MasterVsMaster);
    }
    if ["White", "Black"]
        .into_iter()
        .any(|side| titled(side) == Some("GM") && elo(side) >= Some(SUPER))
    {
        puzzle.themes.insert(Theme::SuperGm);
    }
}

/// Returns the URL of the game at this ply if the tags contain one, and an empty text otherwise.
pub(crate) fn url(game: &Game, ply: usize) -> String {
    let tags = ["Site", "GameUrl", "Link"];
    let site = tags
        .iter()
        .find_map(|tag| game.headers.get(tag).filter(|url| url.starts_with("http")));
    match site {
        // Only URLs of Lichess can contain a ply.
        Some(url) if url.contains("lichess.org/") => format!("{url}#{ply}"),
        Some(url) => url.to_owned(),
        None => String::new(),
    }
}
