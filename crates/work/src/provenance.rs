//! Provenance of the documents of a recipe.

use centipawn_pgn::Sources;
use centipawn_policy::Network;
use centipawn_progress::{Input, Provenance};

use crate::Recipe;

/// Provenance: the recipe with all options, the input files, the networks. Reads each file once to hash it.
pub(crate) fn provenance(recipe: &Recipe, sources: &Sources, networks: &[Network]) -> Provenance {
    let provenance = Provenance::new(recipe).inputs(Input::of_all(sources.paths()));
    Provenance { networks: networks.iter().map(Network::provenance).collect(), ..provenance }
}
