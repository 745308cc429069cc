//! Requests and answers that only a server has. The others are in [`centipawn_review::rooms`],
//! since the page without a server has them too.

mod library;

use centipawn_store::StoreStats;
use serde::{Deserialize, Serialize};

pub(crate) use self::library::*;
pub(crate) use centipawn_review::rooms::*;

use crate::server::Limits;

/// The engine, the network and the contents of the store.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct EnginesDocument {
    /// The engine's command.
    pub(crate) engine: String,
    /// The options that are set for it.
    pub(crate) options: Vec<(String, String)>,
    /// Number of processes of a review.
    pub(crate) processes: usize,
    /// The bundled network, and the levels that it imitates.
    pub(crate) network: String,
    pub(crate) levels: Option<(u32, u32)>,
    /// The document of `centipawn store stats --json`.
    pub(crate) store: StoreStats,
    /// The store's file or database.
    pub(crate) place: String,
    /// Upper limits of requests.
    pub(crate) limits: Limits,
}

/// Exchanges a token for a session cookie.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SessionRequest {
    /// The token that the server printed.
    pub(crate) token: String,
    /// A login code instead of the token. It can be used once.
    pub(crate) code: Option<String>,
}

/// A new session.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct SessionDocument {
    /// The path before `/api` in all addresses of this session. The cookie is sent only below it.
    /// Empty if the server needs no token.
    pub(crate) path: String,
}
