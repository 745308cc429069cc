//! Engine options as documents show them.

/// Formats the value of an engine option without the folders of its files, because documents are
/// passed on and folders can contain the user's name.
///
/// A value is a path if it starts like one (`/`, `~`, `.`, `\`, a drive). If the name of the option
/// contains a word of [`FILES`], every value with a separator is a path. Several paths are
/// separated by `:` or `;`.
pub(crate) fn shown_option(name: &str, value: &str) -> String {
    let name = name.to_ascii_lowercase();
    let is_of_files = FILES.iter().any(|word| name.contains(word));
    let mut shown = String::with_capacity(value.len());
    for list in value.split_inclusive(';') {
        let (list, semicolon) = list
            .strip_suffix(';')
            .map_or((list, ""), |list| (list, ";"));
        if has_drive(list) {
            shown += last_part(list);
        } else {
            let is_list = is_of_files || list.split(':').all(is_path);
            let paths = if is_list {
                list.split(':').collect()
            } else {
                vec![list]
            };
            let paths = paths.into_iter().map(|path| {
                if is_of_files || is_path(path) {
                    last_part(path)
                } else {
                    path
                }
            });
            shown += &paths.collect::<Vec<_>>().join(":");
        }
        shown += semicolon;
    }
    shown
}

/// Words in the names of options whose values are files or folders, in lower case.
const FILES: [&str; 9] = [
    "file",
    "path",
    "folder",
    "directory",
    "book",
    "net",
    "weights",
    "table",
    "log",
];

/// Returns whether a text starts like a path.
fn is_path(text: &str) -> bool {
    let text = text.trim_start();
    let is_relative = text.starts_with("./")
        || text.starts_with("../")
        || text.starts_with(".\\")
        || text.starts_with("..\\");
    text.starts_with(['/', '\\', '~']) || is_relative || has_drive(text)
}

/// Returns whether a text starts with a drive: `C:\`, `c:/`.
fn has_drive(text: &str) -> bool {
    matches!(
        text.trim_start().as_bytes(),
        [b'a'..=b'z' | b'A'..=b'Z', b':', b'/' | b'\\', ..]
    )
}

/// Returns the part of a path after its last separator.
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
