//! The joint identity of several analysts, and what it says about one of them.

use std::sync::Arc;

use crate::Identity;

/// Joins identities: names and authors with ` + `, and each option under its engine's number and
/// name. Equal identities count once.
pub(crate) fn joined(identities: &[Arc<Identity>]) -> Arc<Identity> {
    let mut distinct = identities.to_vec();
    distinct.sort();
    distinct.dedup();
    if let [only] = distinct.as_slice() {
        return Arc::clone(only);
    }
    let list = |field: fn(&Identity) -> &str| {
        let mut texts: Vec<&str> = distinct.iter().map(|identity| field(identity)).collect();
        texts.dedup();
        texts.join(" + ")
    };
    let options = distinct.iter().enumerate().flat_map(|(index, identity)| {
        identity.options.iter().map(move |(option, value)| {
            (
                format!("{} {}: {option}", index + 1, identity.name),
                value.clone(),
            )
        })
    });
    Arc::new(Identity {
        name: list(|i| &i.name),
        author: list(|i| &i.author),
        options: options.collect(),
    })
}

/// The name of endgame tables as an analyst.
pub(crate) const TABLES: &str = "Syzygy tables";
/// The option with the maximum number of men in the tables.
pub(crate) const MEN: &str = "men";
/// What stands between the names of two analysts, the second of which is asked if the first has no
/// answer.
pub(crate) const ELSE: &str = ", else ";

/// Returns the name of the analyst that is asked where endgame tables have no answer, and the
/// maximum number of men in these tables. Without tables, these are the analyst's own name and 0.
pub fn behind_tables(analyst: &Identity) -> (&str, usize) {
    let after = analyst.name.strip_prefix(TABLES);
    let Some(name) = after.and_then(|rest| rest.strip_prefix(ELSE)) else {
        return (&analyst.name, 0);
    };
    // The first of two analysts has the number 1 in the names of options.
    let men = analyst.options.get(&format!("1 {TABLES}: {MEN}"));
    (name, men.and_then(|men| men.parse().ok()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn identities_join() {
        let named = |name: &str, hash: &str| {
            let options = BTreeMap::from([("Hash".to_owned(), hash.to_owned())]);
            Arc::new(Identity {
                name: name.to_owned(),
                author: "A".to_owned(),
                options,
            })
        };
        let same = joined(&[named("X 1", "16"), named("X 1", "16")]);
        assert_eq!(same, named("X 1", "16"));
        let both = joined(&[named("Y 2", "16"), named("X 1", "32")]);
        assert_eq!(
            (both.name.as_str(), both.author.as_str()),
            ("X 1 + Y 2", "A")
        );
        assert_eq!(both.options["1 X 1: Hash"], "32");
    }
}
