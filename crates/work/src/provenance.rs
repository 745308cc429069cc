//! Where the documents of a piece of work come from.

use centipawn_pgn::Sources;
use centipawn_policy::Network;
use centipawn_progress::{Input, Provenance};

use crate::Recipe;

/// What was done, with all options, to which files, by which networks. Reads the files once, for their hashes.
pub(crate) fn provenance(recipe: &Recipe, sources: &Sources, networks: &[Network]) -> Provenance {
    let provenance = Provenance::new(recipe).inputs(Input::of_all(sources.paths()));
    Provenance { networks: networks.iter().map(Network::provenance).collect(), ..provenance }
}
