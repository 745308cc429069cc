//! Merges indexes: one stream of their rows, and the sum of their headers.

use std::{cmp::Reverse, collections::BinaryHeap, vec};

use centipawn_calibrate::position::PositionGames;
use centipawn_pgn::{Merge as _, Shard};
use centipawn_progress::{Cancel, Input};

use super::{PositionIndex, PositionIndexError, PositionRow as Row, format::Order};

/// Rows of a batch.
const BATCH: usize = 1 << 16;

/// The rows of sorted streams in one order; rows that differ in their results only are summed up.
/// Few rows are in memory at a time.
pub(super) struct Merged<I> {
    streams: Vec<(I, vec::IntoIter<Row>)>,
    /// The next row of each stream, by its order and the number of its stream.
    heads: BinaryHeap<Reverse<(Order, usize)>>,
    next: Vec<Option<Row>>,
    failure: Option<PositionIndexError>,
    cancel: Cancel,
}

type Batch = Result<Vec<Row>, PositionIndexError>;

impl<I: Iterator<Item = Batch>> Merged<I> {
    pub(super) fn new(streams: impl IntoIterator<Item = I>, cancel: &Cancel) -> Self {
        let streams: Vec<_> = streams
            .into_iter()
            .map(|stream| (stream, Vec::new().into_iter()))
            .collect();
        let next = vec![None; streams.len()];
        let mut merged = Self {
            streams,
            heads: BinaryHeap::new(),
            next,
            failure: None,
            cancel: cancel.clone(),
        };
        (0..merged.streams.len()).for_each(|stream| merged.advance(stream));
        merged
    }

    /// Takes the next row of a stream.
    fn advance(&mut self, stream: usize) {
        let (batches, rows) = &mut self.streams[stream];
        let row = loop {
            if let Some(row) = rows.next() {
                break row;
            }
            match batches.next() {
                Some(Ok(batch)) => *rows = batch.into_iter(),
                Some(Err(error)) => {
                    self.failure.get_or_insert(error);
                    return;
                }
                None => return,
            }
        };
        self.heads.push(Reverse((row.order(), stream)));
        self.next[stream] = Some(row);
    }
}

impl<I: Iterator<Item = Batch>> Iterator for Merged<I> {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        let mut batch: Vec<Row> = Vec::with_capacity(BATCH);
        while !self.cancel.is_set() && self.failure.is_none() {
            let Some(Reverse((order, stream))) = self.heads.peek().copied() else {
                break;
            };
            let is_same = batch.last().is_some_and(|last| last.order() == order);
            if batch.len() == BATCH && !is_same {
                break;
            }
            self.heads.pop();
            match (self.next[stream].take(), batch.last_mut()) {
                (Some(row), Some(last)) if is_same => last.results.merge(row.results),
                (Some(row), _) => batch.push(row),
                (None, _) => {}
            }
            self.advance(stream);
        }
        match self.failure.take() {
            Some(error) => {
                self.heads.clear();
                Some(Err(error))
            }
            None => (!batch.is_empty()).then_some(Ok(batch)),
        }
    }
}

/// The sum of the headers of several indexes.
pub(super) struct Together {
    pub(super) games: PositionGames,
    pub(super) inputs: Vec<Input>,
    /// The shards are all there; what remains is one part of the inputs.
    pub(super) shard: Shard,
}

/// Adds up indexes. Those of all shards of the same games are one index of these games; shards that
/// are missing are an error only if the result must be whole.
pub(super) fn together(
    indexes: &[PositionIndex],
    must_be_whole: bool,
) -> Result<Together, PositionIndexError> {
    let mut games = PositionGames::default();
    indexes
        .iter()
        .for_each(|index| games.merge(index.header.games));
    if let [only] = indexes {
        return Ok(Together {
            games,
            inputs: only.provenance.inputs.clone(),
            shard: only.header.shard,
        });
    }
    let shards: Vec<Shard> = indexes.iter().map(|index| index.header.shard).collect();
    if shards.iter().any(|shard| *shard != Shard::ALL) {
        let (count, inputs) = (shards[0].count(), &indexes[0].provenance.inputs);
        let are_alike = indexes
            .iter()
            .all(|index| index.provenance.inputs == *inputs)
            && shards.iter().all(|shard| shard.count() == count);
        let mut numbers: Vec<u32> = shards.iter().map(|shard| shard.index()).collect();
        numbers.sort_unstable();
        let are_different = numbers.windows(2).all(|pair| pair[0] < pair[1]);
        let are_all = numbers.len() as u64 == u64::from(count);
        if !are_alike || !are_different || must_be_whole && !are_all {
            return Err(PositionIndexError::Shards);
        }
        return Ok(Together {
            games,
            inputs: inputs.clone(),
            shard: Shard::ALL,
        });
    }
    let mut inputs: Vec<(&Input, &PositionIndex)> = indexes
        .iter()
        .flat_map(|index| {
            index
                .provenance
                .inputs
                .iter()
                .map(move |input| (input, index))
        })
        .collect();
    inputs.sort_by_key(|(input, _)| by_name(input));
    let mut hashes: Vec<_> = inputs
        .iter()
        .filter_map(|(input, index)| Some((input.sha256.as_ref()?, *index)))
        .collect();
    hashes.sort_by_key(|(hash, _)| *hash);
    if let Some([(hash, first), (_, second)]) = hashes
        .array_windows()
        .find(|[(one, _), (next, _)]| one == next)
    {
        let named = inputs
            .iter()
            .find(|(input, _)| input.sha256.as_ref() == Some(hash));
        return Err(PositionIndexError::Twice {
            name: named
                .map(|(input, _)| input.name.clone())
                .unwrap_or_default(),
            first: first.path().to_owned(),
            second: second.path().to_owned(),
        });
    }
    Ok(Together {
        games,
        inputs: inputs.into_iter().map(|(input, _)| input.clone()).collect(),
        shard: Shard::ALL,
    })
}

/// Inputs are listed in this order, so that a merged index lists them as the index of all games
/// does.
pub(super) fn by_name(input: &Input) -> (String, Option<String>) {
    (input.name.clone(), input.sha256.clone())
}
