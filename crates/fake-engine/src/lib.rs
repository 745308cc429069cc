//! Finds the fake engine for the tests of other crates.
//!
//! ```
//! let engine = centipawn_fake_engine::path();
//! assert!(engine.is_file());
//! ```

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::SystemTime,
};

const NAME: &str = "centipawn-fake-engine";

/// Returns the path of the program. `cargo test` does not build programs of other crates, so this
/// function builds the program if it is missing or older than its source. `make unit` builds it
/// beforehand, because otherwise the first tests would wait for the build.
///
/// # Panics
///
/// If the program cannot be built.
pub fn path() -> PathBuf {
    // Tests and examples lie in `target/<profile>/deps` and `target/<profile>/examples`. Doctests
    // lie in a temporary folder, and then the profile is unknown.
    let own = env::current_exe().unwrap_or_default();
    let profile = own
        .ancestors()
        .skip(1)
        .find(|folder| folder.join("deps").is_dir() && folder.join(".fingerprint").is_dir());
    let file = profile.map(|folder| folder.join(format!("{NAME}{}", env::consts::EXE_SUFFIX)));
    if let Some(file) = &file
        && modified(file) >= newest_source()
    {
        return file.clone();
    }
    build(profile)
}

fn build(profile: Option<&Path>) -> PathBuf {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([
        "build",
        "--quiet",
        "--manifest-path",
        concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
    ]);
    let target = profile.and_then(Path::parent);
    if let Some(target) = target {
        cargo.arg("--target-dir").arg(target);
    }
    let is_release = profile.is_some_and(|folder| folder.ends_with("release"));
    if is_release {
        cargo.arg("--release");
    }
    let status = cargo.status();
    assert!(
        status.as_ref().is_ok_and(std::process::ExitStatus::success),
        "{NAME} was not built: {status:?}"
    );
    let target = target.map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"),
        Path::to_owned,
    );
    target
        .join(if is_release { "release" } else { "debug" })
        .join(format!("{NAME}{}", env::consts::EXE_SUFFIX))
}

fn modified(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|meta| meta.modified()).ok()
}

fn newest_source() -> Option<SystemTime> {
    let files = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).ok()?;
    files.filter_map(|file| modified(&file.ok()?.path())).max()
}
