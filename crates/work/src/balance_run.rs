//! Win-draw balances of engines: the recipe, and counting with reports.

use centipawn_calibrate::balance::{Bootstrap, Matches};
use centipawn_pgn::{ScanOptions, Shard};
use centipawn_progress::{Problem, Reporter, text::plural};
use serde::{Deserialize, Serialize};

use crate::{
    BalanceScan, Gathered, ScanError, ScanRequest,
    gather::{gather, named_games},
};

/// From games to balances: the recipe of `balance --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BalanceRunOptions {
    /// Which part of the games to read; all by default.
    pub shard: Shard,
    /// How games are counted.
    pub count: BalanceScan,
    /// How intervals are computed.
    pub bootstrap: Bootstrap,
}

/// Counts games for balances, or merges parts. Unreadable games are reported, the first ones individually, and skipped.
///
/// # Errors
///
/// [`ScanError`].
pub fn count_matches(
    request: &ScanRequest<'_>,
    scan: &BalanceScan,
    options: &ScanOptions<'_>,
    reporter: &dyn Reporter,
) -> Result<Gathered<BalanceScan, Matches>, ScanError> {
    let options = ScanOptions { reporter: Some(reporter), ..*options };
    let choose = || Ok::<_, ScanError>(named_games(request.games, reporter));
    let mut gathered = gather(request, scan, None, &options, choose)?;
    gathered.state.finish(&gathered.options.options);
    Ok(gathered)
}

impl Gathered<BalanceScan, Matches> {
    /// The reason if no game was counted; otherwise `None`.
    pub fn nothing(&self) -> Option<String> {
        let Self { state: matches, report, options, .. } = self;
        if !matches.is_empty() || report.cancelled {
            return None;
        }
        Some(match (report.games, report.bad_games()) {
            (0, 0) => "there are no games".to_owned(),
            (0, bad) => format!("none of {} can be read", plural(bad, "game")),
            (games, _) if matches.without_evals > 0 => format!(
                "no evaluated games: {}, {} without evaluations; dialect: {}; see --evals",
                plural(games, "game"),
                matches.without_evals,
                options.evals
            ),
            (games, _) => format!(
                "no game counts: {}, {} without a result, {} excluded",
                plural(games, "game"),
                matches.unfinished,
                matches.excluded
            ),
        })
    }

    /// Reports how many games were left out, and names of games that do not name one game each.
    pub fn report_left_out(&self, reporter: &dyn Reporter) {
        let Self { state: matches, options: BalanceScan { options, .. }, .. } = self;
        let warn = |text: String| reporter.problem(&Problem::warning(text));
        for (count, why) in [(matches.unfinished, "without a result"), (matches.without_evals, "without evaluations")] {
            if count > 0 {
                warn(format!("{} {why} left out", plural(count, "game")));
            }
        }
        for (names, count, flag) in
            [(&options.not_won, matches.not_won, "--not-won"), (&options.exclude, matches.excluded, "--exclude")]
        {
            if !names.is_empty() && count != names.len() as u64 {
                let named: Vec<String> = names.iter().map(ToString::to_string).collect();
                let games = plural(count, "game");
                warn(format!("{flag} {} names {games}; name the event too where rounds repeat", named.join(",")));
            }
        }
    }
}
