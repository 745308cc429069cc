//! Measures how many mistakes get a reason, and how many reasons hold in a longer search.
//!
//! `cargo run --release -p centipawn-tools --bin reason_quality -- REVIEW.json NODES [PROOF_NODES]`
//!
//! REVIEW.json is a document of `centipawn review --json`. Stockfish checks each reason of a `?` or
//! `??` in a search of NODES nodes: the first move of the reason must win what the reason claims,
//! against every defence that is at most a twentieth worse than the best one. With PROOF_NODES,
//! only reasons that hold in searches of PROOF_NODES nodes are counted; reasons without an
//! immediate capture must also hold with four times as many nodes. Prints a table by symbol and one
//! by motif. Intervals are Wilson's, for 95 %.

use std::{collections::BTreeMap, env, error::Error, fs, io::Write as _};

use centipawn_core::{Curve, History};
use centipawn_engine::{Cancel, EngineConfig, Limit, Pool, find};
use centipawn_review::{PlyDocument, ReviewDocument};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Counts for a symbol or a motif: mistakes, mistakes with a reason, reasons checked, and reasons
/// that held.
#[derive(Clone, Copy, Default)]
struct Count {
    all: u32,
    with: u32,
    asked: u32,
    held: u32,
}

/// Returns Wilson's 95 % interval for the share `held / of`.
fn interval(held: u32, of: u32) -> (f64, f64) {
    let (n, z) = (f64::from(of), 1.96);
    let share = f64::from(held) / n;
    let middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    (middle - half, middle + half)
}

fn main() -> Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [file, nodes, proof @ ..] = &args[..] else {
        return Err("give REVIEW.json and NODES".into());
    };
    let document: ReviewDocument = serde_json::from_slice(&fs::read(file)?)?;
    let limit = Limit::Nodes(nodes.parse()?);
    let proof = proof
        .first()
        .map(|nodes| nodes.parse().map(Limit::Nodes))
        .transpose()?;
    let pool = Pool::start(
        &[(EngineConfig::new(find("stockfish")?), 1)],
        &Cancel::new(),
    )?;
    let (mut symbols, mut motifs) = (
        BTreeMap::<String, Count>::new(),
        BTreeMap::<String, Count>::new(),
    );
    for game in &document.games {
        for ply in &game.plies {
            let Some(symbol) = ply
                .symbol
                .as_ref()
                .filter(|symbol| ["?", "??"].contains(&&***symbol))
            else {
                continue;
            };
            let count = symbols.entry(symbol.clone()).or_default();
            count.all += 1;
            let Some(reason) = &ply.reason else { continue };
            let is_plain = reason.gain.mate.is_some()
                || matches!(
                    reason.motif.as_deref(),
                    Some("hanging piece" | "capture" | "recapture")
                );
            let long = proof
                .and_then(Limit::doubled)
                .and_then(Limit::doubled)
                .filter(|_| !is_plain);
            let mut is_proven = true;
            for proof in proof.into_iter().chain(long) {
                is_proven = is_proven && holds(ply, &pool, proof, &game.curve_numbers)?;
            }
            if !is_proven {
                continue;
            }
            count.with += 1;
            // An idea claims nothing that a line could win, so it is counted only.
            let gain = &reason.gain;
            if gain.mate.is_none() && gain.pawns.is_none() && gain.what != "draw" {
                continue;
            }
            let motif = reason
                .motif
                .clone()
                .unwrap_or_else(|| reason.gain.what.clone());
            let by_motif = motifs
                .entry(format!("{} {motif}", reason.kind))
                .or_default();
            by_motif.with += 1;
            let holds = holds(ply, &pool, limit, &game.curve_numbers)?;
            (count.asked, by_motif.asked) = (count.asked + 1, by_motif.asked + 1);
            (count.held, by_motif.held) = (
                count.held + u32::from(holds),
                by_motif.held + u32::from(holds),
            );
            if !holds {
                println!("{}{symbol}  {}  {}", ply.san, reason.text, ply.fen);
            }
            std::io::stdout().flush()?;
        }
    }
    println!("\nsymbol  moves  with a reason");
    for (symbol, count) in &symbols {
        let (low, high) = interval(count.with, count.all);
        println!(
            "{symbol:7} {:5}  {:5} ({:.0} %, {:.0} to {:.0})  held {} of {}",
            count.all,
            count.with,
            100.0 * f64::from(count.with) / f64::from(count.all),
            100.0 * low,
            100.0 * high,
            count.held,
            count.asked
        );
    }
    println!("\n{:32} reasons  asked  held", "motif");
    for (motif, count) in &motifs {
        println!(
            "{motif:32} {:7}  {:5} {:5}",
            count.with, count.asked, count.held
        );
    }
    let (held, asked) = motifs.values().fold((0, 0), |(held, asked), count| {
        (held + count.held, asked + count.asked)
    });
    if asked > 0 {
        let (low, high) = interval(held, asked);
        let share = 100.0 * f64::from(held) / f64::from(asked);
        println!(
            "held {held} of {asked}: {share:.1} % ({:.1} to {:.1})",
            100.0 * low,
            100.0 * high
        );
    }
    Ok(())
}

fn holds(ply: &PlyDocument, pool: &Pool, limit: Limit, curve: &Curve) -> Result<bool> {
    let before = History::from_fen(&ply.fen, None)?;
    let played = before.parse_uci(&ply.uci)?;
    let reason = ply
        .reason
        .as_ref()
        .and_then(|reason| reason.read(&before, played));
    Ok(reason
        .ok_or("the reason's moves are illegal")?
        .holds(&before, played, pool, limit, curve)?)
}
