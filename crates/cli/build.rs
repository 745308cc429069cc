//! The commit of this build, which distinguishes builds of one version.

use std::{env, path::Path, process::Command};

fn main() {
    // A package that is built outside its repository names the commit itself.
    println!("cargo:rerun-if-env-changed=CENTIPAWN_COMMIT");
    let commit = env::var("CENTIPAWN_COMMIT")
        .ok()
        .filter(|commit| !commit.is_empty())
        .or_else(commit);
    let commit = commit.unwrap_or_default();
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let version = if commit.is_empty() {
        version
    } else {
        format!("{version} ({commit})")
    };
    println!("cargo:rustc-env=CENTIPAWN_COMMIT={commit}");
    println!("cargo:rustc-env=CENTIPAWN_VERSION={version}");
}

/// Returns the commit that is checked out; `None` outside a repository.
fn commit() -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(arguments)
            .output()
            .ok()
            .filter(|output| output.status.success())?;
        Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
    };
    // Take the commit only if the repository is that of this package, not one that merely contains
    // a copy of the package.
    let root = git(&["rev-parse", "--show-toplevel"])?;
    let own = Path::new(&root).join("crates/cli").canonicalize().ok()?;
    let here = Path::new(&env::var("CARGO_MANIFEST_DIR").ok()?)
        .canonicalize()
        .ok()?;
    if own != here {
        return None;
    }
    println!(
        "cargo:rerun-if-changed={}",
        git(&["rev-parse", "--absolute-git-dir"])? + "/logs/HEAD"
    );
    git(&["rev-parse", "--short=9", "HEAD"])
}
