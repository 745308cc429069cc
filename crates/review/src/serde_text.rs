//! Serialises values as the text that the command line uses.

/// For fields `Option<T>` where `T` implements `Display` and `FromStr`.
pub(crate) mod option {
    use std::{
        fmt::{Display, Formatter},
        marker::PhantomData,
        str::FromStr,
    };

    use serde::{Deserializer, Serializer, de};

    pub(crate) fn serialize<T: Display, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => serializer.collect_str(value),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        deserializer.deserialize_option(Text(PhantomData))
    }

    struct Text<T>(PhantomData<T>);

    impl<'de, T: FromStr<Err: Display>> de::Visitor<'de> for Text<T> {
        type Value = Option<T>;

        fn expecting(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
            f.write_str("a name, or null")
        }

        fn visit_none<E: de::Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
            deserializer.deserialize_str(self)
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
            text.parse().map(Some).map_err(E::custom)
        }
    }
}
