//! The published networks, and the folder in which downloaded networks lie.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use centipawn_progress::data_folder;

/// A network that its project publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// The name of the file without `.pb.gz`.
    pub name: &'static str,
    /// Lichess rating of the players from whose games it was trained.
    pub rating: u32,
    /// Size of the file, in bytes.
    pub bytes: u64,
    /// SHA-256 of the file in the project's repository, hexadecimal.
    pub sha256: &'static str,
}

impl Published {
    /// The nine Maia networks, in ascending order of rating. Source: McIlroy-Young et al.,
    /// "Aligning Superhuman AI with Human Behavior: Chess as a Model System". Licence: GPL-3.0.
    pub(crate) const MAIA: [Published; 9] = [
        maia(
            "maia-1100",
            1100,
            1_313_193,
            "e1cf1cd0c96b8a4fa6a275f4b9fd54ed1ffebf9fe44641b9fceded310e9619c4",
        ),
        maia(
            "maia-1200",
            1200,
            1_249_692,
            "ead4ba953f233ae732999ebc1e2b675378148527ebcfad2f0acbc5e4c224d98e",
        ),
        maia(
            "maia-1300",
            1300,
            1_244_431,
            "36195f87bf4761834baa0bf87472b18509a7261a9d7d6f1a8443261369a733f2",
        ),
        maia(
            "maia-1400",
            1400,
            1_328_977,
            "d5353ea6766356dad2d28920c6692f37a5f30963767f1a3105d33b4d0af011e8",
        ),
        maia(
            "maia-1500",
            1500,
            1_258_199,
            "35ab6f20421d59e1df3b17c5a5016947af4c6761368ef84044a9a9c7619a9a00",
        ),
        maia(
            "maia-1600",
            1600,
            1_313_870,
            "d2c9e5948581acf4b9fc0b1e720c5dc0fe64ce80cfc4a239d3f8a42e1176c876",
        ),
        maia(
            "maia-1700",
            1700,
            1_313_415,
            "d277eacd792d340a30abb464dc65127254e65cac57abca17facc469889b96478",
        ),
        maia(
            "maia-1800",
            1800,
            1_289_431,
            "0031ad7c4256b1fd09fbebd28418d644d68b26cd2a45df4967ccf5c7ec9c4965",
        ),
        maia(
            "maia-1900",
            1900,
            1_262_607,
            "e2f565f42d7cd9f122557e6dc4eb84e5bbaedceda1d404dc485d3611c7c97a12",
        ),
    ];

    /// The address at which the Maia project publishes its files.
    pub const MAIA_BASE: &str = "https://github.com/CSSLab/maia-chess/releases/download/v1.0";

    /// Returns the published network with this name.
    pub fn by_name(name: &str) -> Option<&'static Published> {
        Self::MAIA.iter().find(|published| published.name == name)
    }

    /// Returns the name of the file, such as `maia-1500.pb.gz`.
    pub fn file_name(&self) -> String {
        format!("{}.pb.gz", self.name)
    }
}

const fn maia(name: &'static str, rating: u32, bytes: u64, sha256: &'static str) -> Published {
    Published {
        name,
        rating,
        bytes,
        sha256,
    }
}

/// Returns the folder for networks: `$CENTIPAWN_POLICY_DIR`, or `policy` in the [user's data
/// folder](centipawn_progress::data_folder). `None` if neither is known.
pub fn policy_folder() -> Option<PathBuf> {
    let set = env::var_os("CENTIPAWN_POLICY_DIR")
        .filter(|value| !value.is_empty())
        .map(PathBuf::from);
    set.or_else(|| data_folder().map(|data| data.join("policy")))
}

/// Returns the file name without `.pb` or `.pb.gz`, which is the name of the network.
pub(crate) fn network_name(file_name: &str) -> &str {
    let name = file_name.strip_suffix(".gz").unwrap_or(file_name);
    name.strip_suffix(".pb").unwrap_or(name)
}

/// Returns the number at the end of a network's name if it can be a rating (400 to 3500): 1500 for
/// `maia-1500`.
pub(crate) fn level_in(name: &str) -> Option<u32> {
    let digits = name.rsplit(|char: char| !char.is_ascii_digit()).next()?;
    digits
        .parse()
        .ok()
        .filter(|rating| (400..=3500).contains(rating))
}

/// Returns the files of a folder whose names end in `.pb` or `.pb.gz`, sorted by name; hidden files
/// are skipped.
pub(crate) fn networks_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let is_network = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with('.') && (name.ends_with(".pb.gz") || name.ends_with(".pb"))
    };
    let mut found: Vec<PathBuf> = entries.filter(is_network).collect();
    found.sort();
    found
}

/// Finds the file of a network by its path, or by its name in the [`policy_folder`].
///
/// # Errors
///
/// [`UnknownNetwork`], which names the searched folders and how to get the file.
pub fn find_network(name: &str) -> Result<PathBuf, UnknownNetwork> {
    if Path::new(name).is_file() {
        Ok(PathBuf::from(name))
    } else {
        find_in_policy_folder(name)
    }
}

/// Finds the file of a network by its name in the [`policy_folder`]. Text that is not a [network
/// name](is_network_name), such as a path, is an error; no file outside the folder is opened.
pub(crate) fn find_in_policy_folder(name: &str) -> Result<PathBuf, UnknownNetwork> {
    let folder = policy_folder();
    if !is_network_name(name) {
        return Err(UnknownNetwork {
            name: name.to_owned(),
            folder,
        });
    }
    let file = folder.as_ref().and_then(|folder| {
        let files = [format!("{name}.pb.gz"), format!("{name}.pb")].map(|file| folder.join(file));
        files.into_iter().find(|file| file.is_file())
    });
    file.ok_or_else(|| UnknownNetwork {
        name: name.to_owned(),
        folder,
    })
}

/// Returns whether a text can be the name of a network: a file name without a folder, not hidden,
/// at most 100 bytes long. Services check names from outside with this function, because a path
/// could name any file of the machine.
///
/// ```
/// use centipawn_policy::is_network_name;
///
/// assert!(is_network_name("maia-1500"));
/// assert!(!is_network_name("/etc/passwd") && !is_network_name("../keys") && !is_network_name(""));
/// ```
pub fn is_network_name(name: &str) -> bool {
    let is_of_name = |char: char| !matches!(char, '/' | '\\' | ':') && !char.is_control();
    !name.is_empty() && name.len() <= 100 && !name.starts_with('.') && name.chars().all(is_of_name)
}

/// No network has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownNetwork {
    /// The name or path, as the user gave it.
    pub name: String,
    /// The folder that was searched; `None` if it is unknown.
    pub folder: Option<PathBuf>,
}

impl std::error::Error for UnknownNetwork {}

impl std::fmt::Display for UnknownNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, folder } = self;
        write!(f, "there is no policy network {name:?}: no such file")?;
        if let Some(folder) = folder {
            write!(f, ", and no network of that name in {}", folder.display())?;
        }
        match Published::by_name(name) {
            Some(published) => write!(
                f,
                "; get it with: centipawn policy fetch {name}, or take the network in the \
                 program: option `level {}`",
                published.rating
            ),
            None => write!(
                f,
                "; give a .pb.gz file, one of maia-1100 to maia-1900, which centipawn policy fetch downloads, or nothing: \
                 {} is in the program",
                crate::Network::BUNDLED
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_is_the_rating_at_the_end_of_the_name() {
        assert_eq!(level_in("maia-1500"), Some(1500));
        assert_eq!(level_in("mine"), None);
        assert_eq!(level_in("net-7"), None);
    }

    #[test]
    fn published_networks_have_valid_hashes_and_unknown_names_get_advice() {
        for published in &Published::MAIA {
            assert_eq!(published.name, format!("maia-{}", published.rating));
            assert!(
                published.sha256.len() == 64
                    && published
                        .sha256
                        .bytes()
                        .all(|byte| byte.is_ascii_hexdigit())
            );
        }
        let error = find_network("maia-1300").err();
        assert!(error.is_none_or(|error| error.to_string().ends_with("option `level 1300`")));
        let error = find_network("nothing").unwrap_err().to_string();
        assert!(error.contains("maia-1100 to maia-1900"), "{error}");
    }
}
