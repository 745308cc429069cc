//! Finds out whether a model was fitted to the games that it is tested on.

use centipawn_progress::{Cancel, Input, Provenance, sha256};
use serde_json::Value;

use super::{
    Candidate, CommonGames, CompareError, Counts, Fit, FitOptions, compare::is_same_model,
};

/// Key of a recipe under which provenance stores the hash of the counts to which the model was
/// fitted.
const KEY: &str = "counts_sha256";

/// Counts with fewer different keys may be contained in others by chance.
const FEWEST_KEYS: usize = 100;

impl Counts {
    /// Returns SHA-256 of all keys and their counts. It does not depend on the format of the file
    /// or on groups of games.
    pub fn sha256(&self) -> String {
        let mut bytes = Vec::with_capacity(12 * self.len());
        for (key, count) in self.iter() {
            bytes.extend(key.0.to_le_bytes());
            bytes.extend(count.to_le_bytes());
        }
        sha256(&bytes)
    }

    /// Returns whether these counts include each position of `part`, so that its games are probably
    /// among these.
    pub fn contains(&self, part: &Self) -> bool {
        let mut own = self.iter();
        part.len() >= FEWEST_KEYS
            && part
                .iter()
                .all(|(key, count)| own.any(|(own, all)| own == key && count <= all))
    }

    /// Returns whether a model with this provenance was fitted to these counts.
    pub fn are_of(&self, provenance: &Provenance) -> bool {
        provenance
            .recipe
            .get(KEY)
            .and_then(Value::as_str)
            .is_some_and(|hash| hash == self.sha256())
    }

    /// Adds the hash of these counts to the provenance of a model that was fitted to them.
    #[must_use]
    pub fn identified(&self, mut provenance: Provenance) -> Provenance {
        if let Some(recipe) = provenance.recipe.as_object_mut() {
            recipe.insert(KEY.to_owned(), self.sha256().into());
        }
        provenance
    }
}

/// The identity of the games on which models are tested: their counts, and the files that they come
/// from.
#[derive(Clone, Debug)]
pub struct TestGames<'a> {
    /// The counts, and which positions are used.
    pub games: CommonGames<'a>,
    /// The files that were read for the counts: a file of counts, or files of games.
    pub inputs: &'a [Input],
}

impl TestGames<'_> {
    /// Returns whether a model of `counts` was fitted to all these games and no others.
    pub fn are(&self, counts: &Counts) -> bool {
        self.games.counts.len() == counts.len() && self.games.counts.iter().eq(counts.iter())
    }

    /// Returns whether some of these games are among `counts`, which were read from `inputs`.
    pub fn overlap(&self, counts: &Counts, inputs: &[Input]) -> bool {
        let own = self.games.counts;
        self.are(counts)
            || self.share_a_file(inputs)
            || own.contains(counts)
            || counts.contains(own)
    }

    fn share_a_file(&self, inputs: &[Input]) -> bool {
        let has = |hash: &String| {
            self.inputs
                .iter()
                .any(|own| own.sha256.as_ref() == Some(hash))
        };
        inputs
            .iter()
            .filter_map(|input| input.sha256.as_ref())
            .any(has)
    }

    /// Returns whether a model with this provenance was fitted to some of these games.
    fn were_seen(&self, provenance: &Provenance) -> bool {
        self.share_a_file(&provenance.inputs) || self.games.counts.are_of(provenance)
    }

    /// Adds to the candidate what is known about its games. If its fit can be repeated on these
    /// games and gives the same model, the candidate is tested on held-out folds.
    ///
    /// # Errors
    ///
    /// [`CompareError::Cancelled`], soon after `cancel` is set.
    pub fn tested(
        &self,
        candidate: Candidate,
        provenance: Option<&Provenance>,
        cancel: &Cancel,
    ) -> Result<Candidate, CompareError> {
        let Some(provenance) = provenance.filter(|provenance| self.were_seen(provenance)) else {
            return Ok(candidate);
        };
        let fit = fit_options(provenance).filter(|options| {
            let (own, games) = (&options.selection, &self.games.selection);
            own.units == games.units
        });
        let fit = fit.and_then(|options| Fit::new(self.games.counts, &options, cancel).ok());
        cancel.check()?;
        let is_same = |fit: &Fit| {
            fit.model()
                .is_some_and(|model| is_same_model(&model, &candidate.model))
        };
        Ok(Candidate {
            fit: fit.filter(is_same),
            has_seen_games: true,
            ..candidate
        })
    }
}

/// Returns the options of the fit that made a model, from the recipe of `wdl fit`, `wdl run` or
/// `wdl update`.
fn fit_options(provenance: &Provenance) -> Option<FitOptions> {
    let recipe = provenance.recipe.get("fit").unwrap_or(&provenance.recipe);
    recipe.get("selection")?;
    serde_json::from_value(recipe.clone()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wdl::{CountsFormat, Key, MoverResult};

    fn counts(from: i32, to: i32) -> Counts {
        let key = |index: i32| Key::packed(MoverResult::ALL[index as usize % 3], 20, 40, index);
        Counts::new(Some(5), (from..to).map(|index| (key(index), 2)).collect())
    }

    #[test]
    fn the_hash_does_not_depend_on_the_format() {
        let mut json = Vec::new();
        counts(0, 200)
            .write(CountsFormat::Stockfish, &mut json)
            .unwrap();
        assert_eq!(
            Counts::read(&json[..]).unwrap().sha256(),
            counts(0, 200).sha256()
        );
        assert_ne!(counts(0, 200).sha256(), counts(0, 201).sha256());
    }

    #[test]
    fn counts_contain_their_parts() {
        assert!(counts(0, 300).contains(&counts(100, 250)));
        assert!(!counts(0, 300).contains(&counts(200, 301)));
        assert!(
            !counts(0, 300).contains(&counts(0, 20)),
            "too few to be sure"
        );
    }
}
