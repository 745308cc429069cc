//! Tests of the book of the documentation: its pages and links. `make book` also checks the built
//! pages.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use crate::common::root;

/// Returns the Markdown files below a folder.
fn markdown_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(markdown_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
    files
}

/// Returns the lines of a text outside its code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// Returns the targets of the links and pictures of a text.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in prose(text) {
        // Text between backticks has no links.
        let parts: Vec<&str> = line.split('`').step_by(2).collect();
        let line = parts.join("`");
        for part in line.split("](").skip(1) {
            // Parentheses within an address come in pairs.
            let mut depth = 1;
            let end = part.find(|letter| {
                depth += i32::from(letter == '(') - i32::from(letter == ')');
                depth == 0
            });
            found.extend(end.map(|end| part[..end].to_owned()));
        }
    }
    found
}

/// Returns the anchors of a page: those of its headings, as GitHub and mdBook name them, and ids in
/// its HTML.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut anchors = BTreeSet::new();
    for line in prose(text) {
        for part in line.split("id=\"").skip(1) {
            anchors.extend(part.split('"').next().map(str::to_owned));
        }
        let Some(heading) = line.strip_prefix('#') else {
            continue;
        };
        let name: String = heading
            .trim_start_matches('#')
            .trim()
            .to_lowercase()
            .chars()
            .filter_map(|letter| match letter {
                ' ' => Some('-'),
                _ => (letter.is_alphanumeric() || "-_".contains(letter)).then_some(letter),
            })
            .collect();
        let earlier = seen.entry(name.clone()).or_default();
        anchors.insert(match *earlier {
            0 => name,
            number => format!("{name}-{number}"),
        });
        *earlier += 1;
    }
    anchors
}

#[test]
fn links_lead_to_files_and_headings() {
    let root = root().canonicalize().unwrap();
    let mut files: Vec<PathBuf> = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        .map(|name| root.join(name))
        .to_vec();
    for folder in ["docs", "examples", "research"] {
        files.extend(markdown_files(&root.join(folder)));
    }
    for entry in fs::read_dir(root.join("crates")).unwrap().flatten() {
        let readme = entry.path().join("README.md");
        files.extend(readme.exists().then_some(readme));
    }
    let mut wrong = Vec::new();
    let mut checked = 0;
    for file in &files {
        for link in links(&fs::read_to_string(file).unwrap()) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            checked += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() {
                file.clone()
            } else {
                file.parent().unwrap().join(path)
            };
            let is_markdown = target
                .extension()
                .is_some_and(|extension| extension == "md");
            let leads_somewhere = target.exists()
                && (anchor.is_empty()
                    || !is_markdown
                    || anchors(&fs::read_to_string(&target).unwrap()).contains(anchor));
            if !leads_somewhere {
                let file = file.strip_prefix(&root).unwrap();
                wrong.push(format!("{}: {link}", file.display()));
            }
        }
    }
    assert!(checked > 100, "{checked} links");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_page_is_in_the_contents() {
    let docs = root().join("docs").canonicalize().unwrap();
    let contents = docs.join("SUMMARY.md");
    let listed: Vec<PathBuf> = links(&fs::read_to_string(&contents).unwrap())
        .iter()
        .map(|link| docs.join(link))
        .collect();
    let distinct: BTreeSet<&PathBuf> = listed.iter().collect();
    assert_eq!(distinct.len(), listed.len(), "a page is listed twice");
    for page in markdown_files(&docs) {
        assert!(
            page == contents || distinct.contains(&page),
            "SUMMARY.md lacks {}",
            page.display()
        );
    }
}

#[test]
fn links_and_anchors_are_found() {
    let text = "# A `b`: c\n[x](y.md#z) `[n](o)` ![p](q_(r).png)\n```sh\n[no](no)\n# no\n```\n## A b c\n<a id=\"w\"></a>";
    assert_eq!(links(text), ["y.md#z", "q_(r).png"]);
    let found: Vec<String> = anchors(text).into_iter().collect();
    assert_eq!(found, ["a-b-c", "a-b-c-1", "w"]);
}
