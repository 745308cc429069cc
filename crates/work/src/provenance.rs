//! Where the documents of a piece of work come from.

use centipawn_pgn::Sources;
use centipawn_policy::Network;
use centipawn_progress::{Input, Provenance};
use serde::Serialize;

/// A recipe by its name, with its options beside it.
#[derive(Serialize)]
struct NamedRecipe<'a, T> {
    recipe: &'a str,
    #[serde(flatten)]
    options: &'a T,
}

/// What was done, with all options, to which files, by which networks. Reads the files once, for their hashes.
pub(crate) fn provenance(
    recipe: &str,
    options: &impl Serialize,
    sources: &Sources,
    networks: &[Network],
) -> Provenance {
    let provenance = Provenance::new(&NamedRecipe { recipe, options }).inputs(Input::of_all(sources.paths()));
    Provenance { networks: networks.iter().map(Network::provenance).collect(), ..provenance }
}
