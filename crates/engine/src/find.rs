//! Finds the program of an engine by the name or path that the user gives.

use std::{
    env, fmt,
    path::{Path, PathBuf},
};

use crate::AnalystError;

/// Folders that hold engines but may be missing from PATH: Debian's games, Homebrew's, and the
/// usual folders, for a service that runs with a bare environment.
const ALSO: [&str; 5] = [
    "/usr/games",
    "/usr/local/games",
    "/opt/homebrew/bin",
    "/usr/local/bin",
    "/usr/bin",
];

/// An engine program and its arguments. It is started without a shell.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EngineCommand {
    /// Path of the program.
    pub program: PathBuf,
    /// The arguments of the program.
    pub args: Vec<String>,
}

impl fmt::Display for EngineCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.program.display())?;
        self.args.iter().try_for_each(|arg| write!(f, " {arg}"))
    }
}

/// Finds the engine that `text` names: a program's name, its path, or either with arguments, quoted
/// as in a shell. On Windows a backslash divides folders, and quotes nothing.
///
/// A name is searched on PATH, then in `/usr/games`, `/usr/local/games`, `/opt/homebrew/bin`,
/// `/usr/local/bin` and `/usr/bin`.
///
/// ```
/// let error = centipawn_engine::find("stokfish --depth 3").unwrap_err();
/// assert!(error.to_string().starts_with("stokfish was not found; "));
/// ```
///
/// # Errors
///
/// [`AnalystError::NotFound`], which explains how to get the engine; [`AnalystError::BadCommand`]
/// for an empty text or an unclosed quote.
pub fn find(text: &str) -> Result<EngineCommand, AnalystError> {
    find_in(text, &search_path())
}

fn search_path() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(ALSO.iter().map(PathBuf::from))
        .collect()
}

fn find_in(text: &str, folders: &[PathBuf]) -> Result<EngineCommand, AnalystError> {
    let bad = |reason| AnalystError::BadCommand {
        command: text.to_owned(),
        reason,
    };
    // The text may be an unquoted path with spaces.
    let whole = Path::new(text.trim());
    if is_path(text) && is_program(whole) {
        return Ok(EngineCommand {
            program: whole.to_owned(),
            args: Vec::new(),
        });
    }
    let mut words = split(text)
        .ok_or_else(|| bad("a quote is not closed"))?
        .into_iter();
    let name = words
        .next()
        .filter(|name| !name.is_empty())
        .ok_or_else(|| bad("it is empty"))?;
    let args = words.collect();
    if is_path(&name) {
        let program = PathBuf::from(&name);
        if is_program(&program) {
            return Ok(EngineCommand { program, args });
        }
        let advice = if program.is_file() {
            "the file is there but cannot be executed: set its executable bit (chmod +x)"
        } else {
            "there is no such file: correct the path"
        };
        return Err(AnalystError::NotFound {
            command: name,
            advice: advice.to_owned(),
        });
    }
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let program = folders
        .iter()
        .flat_map(|folder| [folder.join(&name), folder.join(&file)])
        .find(|file| is_program(file));
    match program {
        Some(program) => Ok(EngineCommand { program, args }),
        None => {
            let here = [&name, &file]
                .into_iter()
                .find(|name| is_program(Path::new(name)));
            let advice = match here {
                Some(here) => format!(
                    "it is in this folder: write {}",
                    Path::new(".").join(here).display()
                ),
                None => advice(&name),
            };
            Err(AnalystError::NotFound {
                advice,
                command: name,
            })
        }
    }
}

/// Returns the words of a command; `None` if a quote is not closed.
fn split(text: &str) -> Option<Vec<String>> {
    if cfg!(windows) {
        shlex::split(&text.replace('\\', r"\\"))
    } else {
        shlex::split(text)
    }
}

fn is_path(text: &str) -> bool {
    text.contains(std::path::is_separator)
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

/// Returns how to install the engine of this name, if a package is known.
fn advice(name: &str) -> String {
    const PACKAGES: [(&str, Option<&str>, Option<&str>); 7] = [
        ("stockfish", Some("stockfish"), Some("stockfish")),
        ("fairy-stockfish", Some("fairy-stockfish"), None),
        ("ethereal-chess", Some("ethereal-chess"), None),
        ("gnuchess", Some("gnuchess"), None),
        ("toga2", Some("toga2"), None),
        ("glaurung", Some("glaurung"), None),
        ("lc0", None, Some("lc0")),
    ];
    let mut ways = Vec::new();
    if let Some((_, debian, homebrew)) = PACKAGES
        .iter()
        .find(|(known, ..)| known.eq_ignore_ascii_case(name))
    {
        ways.extend(debian.map(|package| format!("on Debian: apt install {package}")));
        ways.extend(homebrew.map(|package| format!("on macOS: brew install {package}")));
    }
    if ways.is_empty() {
        ways.push("check the spelling or give the path of the program".to_owned());
    }
    ways.push("or name another engine with the option `engine`".to_owned());
    ways.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn names_paths_and_arguments() {
        use std::{fs, os::unix::fs::PermissionsExt};

        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("my engine");
        fs::write(&program, "").unwrap();
        let path = program.to_str().unwrap().to_owned();

        let error = find_in(&format!("'{path}'"), &[]).unwrap_err().to_string();
        assert!(
            error.ends_with("set its executable bit (chmod +x)"),
            "{error}"
        );

        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let found = |text: &str| find_in(text, &[folder.path().to_owned()]).unwrap();
        assert_eq!(
            found(&path),
            EngineCommand {
                program: program.clone(),
                args: vec![]
            }
        );
        assert_eq!(found(&format!("'{path}' -x")).args, ["-x"]);
        let named = found(r#""my engine" --weights 'a b.pb'"#);
        assert_eq!(
            (named.program, named.args),
            (program, vec!["--weights".to_owned(), "a b.pb".to_owned()])
        );
        assert!(
            find_in(folder.path().to_str().unwrap(), &[]).is_err(),
            "a folder is no program"
        );
    }

    #[cfg(windows)]
    #[test]
    fn backslashes_divide_folders() {
        let words = split(r#""C:\my engines\lc0.exe" --weights C:\nets\a.pb"#).unwrap();
        assert_eq!(
            words,
            [r"C:\my engines\lc0.exe", "--weights", r"C:\nets\a.pb"]
        );
    }

    #[test]
    fn advice_fits_the_name() {
        let error = |text| find_in(text, &[]).unwrap_err().to_string();
        assert_eq!(
            error("stockfish"),
            "stockfish was not found; on Debian: apt install stockfish; on macOS: brew install stockfish; or name another \
             engine with the option `engine`"
        );
        assert_eq!(
            error("komodo"),
            "komodo was not found; check the spelling or give the path of the program; or name another engine with the option `engine`"
        );
        assert_eq!(
            error("./nowhere/x"),
            "./nowhere/x was not found; there is no such file: correct the path"
        );
        assert_eq!(
            error(" "),
            "cannot read the engine command ` `: it is empty"
        );
        assert_eq!(
            error("a 'b"),
            "cannot read the engine command `a 'b`: a quote is not closed"
        );
    }
}
