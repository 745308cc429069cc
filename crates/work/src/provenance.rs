//! Provenance of the documents of a recipe.

use centipawn_pgn::Sources;
use centipawn_policy::Network;
use centipawn_progress::{Input, Provenance};

use crate::engine::Recipe;

/// Returns the provenance: the recipe with all options, the part of the games if it is not all, the
/// input files, the networks. Reads each file once to hash it.
pub(crate) fn provenance(recipe: &Recipe, sources: &Sources, networks: &[Network]) -> Provenance {
    let mut provenance = Provenance::new(recipe).inputs(Input::of_all(sources.paths()));
    if let (false, Some(recipe)) = (sources.shard().is_all(), provenance.recipe.as_object_mut()) {
        recipe.insert("shard".to_owned(), sources.shard().to_string().into());
    }
    Provenance {
        networks: networks.iter().map(Network::provenance).collect(),
        ..provenance
    }
}
