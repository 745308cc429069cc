//! Serialises results of fits that may have failed. The reason of a failure is stored as text.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::FitError;

#[derive(Serialize, Deserialize)]
enum Stored<T> {
    Fitted(T),
    Failed(String),
}

impl<T> Stored<T> {
    fn restored(self) -> Result<T, FitError> {
        match self {
            Self::Fitted(fitted) => Ok(fitted),
            Self::Failed(reason) => Err(FitError::Earlier { reason }),
        }
    }
}

fn stored<T>(fitted: &Result<T, FitError>) -> Stored<&T> {
    match fitted {
        Ok(fitted) => Stored::Fitted(fitted),
        Err(error) => Stored::Failed(error.to_string()),
    }
}

pub(super) fn serialize<T: Serialize, S: Serializer>(
    fitted: &Result<T, FitError>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    stored(fitted).serialize(serializer)
}

pub(super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Result<T, FitError>, D::Error> {
    Stored::deserialize(deserializer).map(Stored::restored)
}

/// The same for optional results.
pub(super) mod optional {
    use super::{Deserialize, Deserializer, FitError, Serialize, Serializer, Stored};

    pub(in super::super) fn serialize<T: Serialize, S: Serializer>(
        fitted: &Option<Result<T, FitError>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        fitted.as_ref().map(super::stored).serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Result<T, FitError>>, D::Error> {
        Ok(Option::deserialize(deserializer)?.map(Stored::restored))
    }
}
