//! Tests that the command line accepts the commands in README.md, CONTRIBUTING.md and the guides:
//! their flags exist, and their values can be parsed.

use std::{ffi::OsString, fs, path::Path};

use clap::Parser as _;

use crate::{Cli, expand};

/// Returns the words of each `centipawn` command in the shell blocks of a Markdown text.
fn commands(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut block = None;
    let mut continued = String::new();
    for line in text.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            block = block.is_none().then(|| language.trim().to_owned());
            continue;
        }
        let line = match block.as_deref() {
            Some("sh") => line,
            // In console blocks, a line without a prompt is output unless the line before it ended
            // with a backslash.
            Some("console") if !continued.is_empty() => line,
            Some("console") => line.strip_prefix("$ ").unwrap_or_default(),
            _ => continue,
        };
        match line.strip_suffix('\\') {
            Some(begin) => continued.push_str(begin),
            None => {
                continued.push_str(line);
                found.extend(invocations(&std::mem::take(&mut continued)));
            }
        }
    }
    found
}

/// Returns the words of each `centipawn` command in a line of shell, which may contain pipes.
fn invocations(line: &str) -> Vec<Vec<String>> {
    let words = shlex::split(line).unwrap_or_else(|| panic!("quotes do not match: {line}"));
    let ends = |word: &String| {
        matches!(
            word.as_str(),
            "|" | ">" | ">>" | "<" | "&&" | "||" | "&" | ";"
        )
    };
    let parts = words.split(ends).map(|part| {
        let is_setting = |word: &&String| {
            word.split_once('=')
                .is_some_and(|(name, _)| !name.starts_with('-'))
        };
        let skipped = part.iter().take_while(is_setting).count();
        part[skipped..].to_vec()
    });
    // Skip commands with shell variables, because their values are unknown here.
    let is_readable = |part: &Vec<String>| {
        let is_own = part.first().is_some_and(|word| word == "centipawn");
        is_own && !part.iter().any(|word| word.contains('$'))
    };
    parts.filter(is_readable).collect()
}

#[test]
fn commands_of_the_guides_parse() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    for folder in ["docs", "docs/how-we-know"] {
        let entries = fs::read_dir(root.join(folder)).unwrap().flatten();
        files.extend(entries.map(|entry| entry.path()));
    }
    let mut wrong = Vec::new();
    for path in files
        .iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
    {
        for words in commands(&fs::read_to_string(path).unwrap()) {
            let arguments = expand(words.iter().map(OsString::from).collect());
            if let Err(error) = Cli::try_parse_from(arguments) {
                wrong.push(format!("{}: {}\n{error}", path.display(), words.join(" ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn commands_are_found_in_texts() {
    let text = "centipawn 0\n```sh\nA=1 centipawn 1 'a b' | centipawn 2 \\\n  3 > x\n```\n```console\n$ centipawn 4\ncentipawn 5\n```\n";
    assert_eq!(
        commands(text),
        [
            vec!["centipawn", "1", "a b"],
            vec!["centipawn", "2", "3"],
            vec!["centipawn", "4"]
        ]
    );
}
