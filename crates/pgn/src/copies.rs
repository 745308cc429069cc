//! Files that are copies of others.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};

use centipawn_progress::sha256;

/// Number of parts of a large file that are compared, evenly spread, and their length.
const PARTS: u64 = 64;
const PART: u64 = 4096;

/// Returns the files that are copies, each with the first file of the same content. Files longer
/// than a quarter of a megabyte count as copies if their lengths and 64 parts of each are the same.
/// Only files with the length of another are read.
pub(crate) fn copies(paths: &[PathBuf]) -> Vec<[&Path; 2]> {
    let mut of_length: HashMap<u64, Vec<usize>> = HashMap::new();
    for (index, path) in paths
        .iter()
        .enumerate()
        .filter(|(_, path)| *path != Path::new("-"))
    {
        // Compare regular files only: reading a pipe would leave nothing for the scan.
        if let Some(file) = fs::metadata(path)
            .ok()
            .filter(|file| file.is_file() && file.len() > 0)
        {
            of_length.entry(file.len()).or_default().push(index);
        }
    }
    let mut copies = Vec::new();
    for (length, files) in of_length.into_iter().filter(|(_, files)| files.len() > 1) {
        let mut originals: HashMap<String, usize> = HashMap::new();
        for file in files {
            let Ok(parts) = parts(&paths[file], length) else {
                continue;
            };
            let original = *originals.entry(sha256(&parts)).or_insert(file);
            if original != file {
                copies.push([file, original]);
            }
        }
    }
    copies.sort_unstable();
    copies
        .into_iter()
        .map(|both| both.map(|file| &*paths[file]))
        .collect()
}

/// Returns the parts of a file that are compared.
fn parts(path: &Path, length: u64) -> io::Result<Vec<u8>> {
    let (mut file, mut parts) = (File::open(path)?, Vec::new());
    if length <= PARTS * PART {
        file.read_to_end(&mut parts)?;
        return Ok(parts);
    }
    for part in 0..PARTS {
        file.seek(SeekFrom::Start((length - PART) * part / (PARTS - 1)))?;
        (&file).take(PART).read_to_end(&mut parts)?;
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_the_same_content() {
        let folder = tempfile::tempdir().unwrap();
        let long = |last: u8| [vec![b'.'; 400_000], vec![last]].concat();
        let files = [
            ("a.pgn", b"1. e4 *".to_vec()),
            ("b.pgn", b"1. d4 *".to_vec()),
            ("c.pgn", b"1. e4 *".to_vec()),
            ("d.pgn", b"1. e4 *".to_vec()),
            ("e.pgn", long(b'e')),
            ("f.pgn", long(b'f')),
            ("g.pgn", long(b'f')),
            ("h.pgn", Vec::new()),
            ("i.pgn", Vec::new()),
        ];
        let paths = files.map(|(name, content)| {
            fs::write(folder.path().join(name), content).unwrap();
            folder.path().join(name)
        });
        let paths = [&paths[..], &["-".into(), "none.pgn".into()]].concat();
        let found = copies(&paths);
        let names = found
            .iter()
            .map(|both| both.map(|path| path.file_name().unwrap().to_str().unwrap()));
        assert_eq!(
            names.collect::<Vec<_>>(),
            [["c.pgn", "a.pgn"], ["d.pgn", "a.pgn"], ["g.pgn", "f.pgn"]]
        );
    }
}
