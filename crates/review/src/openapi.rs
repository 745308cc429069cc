//! Schemas of documents whose Rust types cannot derive them.

use utoipa::ToSchema;

/// The names of shakmaty's colors.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "carries the schema")]
pub(crate) enum Color {
    White,
    Black,
}

/// The keys of a `MomentPlace`, or none of them. utoipa cannot describe a flattened `Option`.
#[derive(ToSchema)]
#[expect(dead_code, reason = "carries the schema")]
pub(crate) struct MomentPlaceIfAny {
    /// Number of the game, from 1.
    #[schema(nullable = false)]
    game: Option<u64>,
    /// Number of the half-move, from 1.
    #[schema(nullable = false)]
    ply: Option<u64>,
    /// The move played there, in UCI notation.
    #[schema(required = false)]
    played: Option<String>,
}
