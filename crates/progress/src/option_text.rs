//! Options of engines as documents show them.

/// The value of an engine's option without the folders of its files: documents travel, and the folders are those of a user.
///
/// Paths are recognised by their beginning (`/`, `~`, `.`, `\`, a drive), or by a separator in the value of an option that is named
/// after a file, a path, a folder, a book, a network, weights or tables. Several paths are separated by `:` or `;`.
///
/// ```
/// use centipawn_progress::shown_option;
///
/// assert_eq!(shown_option("EvalFile", "/home/anna/nets/nn-5af1.nnue"), "nn-5af1.nnue");
/// assert_eq!(shown_option("SyzygyPath", "/home/anna/3-4-5:/srv/6-dtz/"), "3-4-5:6-dtz");
/// assert_eq!(shown_option("UCI_Elo", "1500"), "1500");
/// ```
pub fn shown_option(name: &str, value: &str) -> String {
    let name = name.to_ascii_lowercase();
    let is_of_files = FILES.iter().any(|word| name.contains(word));
    let mut shown = String::with_capacity(value.len());
    for list in value.split_inclusive(';') {
        let (list, semicolon) = list.strip_suffix(';').map_or((list, ""), |list| (list, ";"));
        if has_drive(list) {
            shown += last_part(list);
        } else {
            let is_list = is_of_files || list.split(':').all(is_path);
            let paths = if is_list { list.split(':').collect() } else { vec![list] };
            let paths = paths.into_iter().map(|path| if is_of_files || is_path(path) { last_part(path) } else { path });
            shown += &paths.collect::<Vec<_>>().join(":");
        }
        shown += semicolon;
    }
    shown
}

/// Parts of names of options whose values are files or folders, in lower case.
const FILES: [&str; 9] = ["file", "path", "folder", "directory", "book", "net", "weights", "table", "log"];

/// Whether a text begins as a path does.
fn is_path(text: &str) -> bool {
    let text = text.trim_start();
    let is_relative =
        text.starts_with("./") || text.starts_with("../") || text.starts_with(".\\") || text.starts_with("..\\");
    text.starts_with(['/', '\\', '~']) || is_relative || has_drive(text)
}

/// Whether a text begins with a drive: `C:\`, `c:/`.
fn has_drive(text: &str) -> bool {
    matches!(text.trim_start().as_bytes(), [b'a'..=b'z' | b'A'..=b'Z', b':', b'/' | b'\\', ..])
}

/// The part of a path behind its last separator.
fn last_part(path: &str) -> &str {
    let path = path.trim().trim_end_matches(['/', '\\']);
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_left_out() {
        for (name, value, shown) in [
            ("EvalFileSmall", "/home/anna/small.nnue", "small.nnue"),
            ("EvalFile", "nn-5af1.nnue", "nn-5af1.nnue"),
            ("1 Stockfish 16: EvalFile", "nets/big.nnue", "big.nnue"),
            ("SyzygyPath", "/home/anna/syzygy", "syzygy"),
            ("SyzygyPath", r"C:\Users\Anna\3-4-5;D:\6\", "3-4-5;6"),
            ("SyzygyPath", "/home/anna/a;/home/anna/b", "a;b"),
            ("SyzygyPath", "<empty>", "<empty>"),
            ("Book", "~/books/gm.bin", "gm.bin"),
            ("Anything", "/home/anna/a:/home/anna/b", "a:b"),
            ("Anything", "C:/Users/Anna/x", "x"),
            ("Debug Log File", "", ""),
            ("Time", "1/2", "1/2"),
            ("Url", "a:b", "a:b"),
            ("Clock", "12:30", "12:30"),
            ("SyzygyPath", "/", ""),
        ] {
            assert_eq!(shown_option(name, value), shown, "{name} {value}");
        }
    }
}
