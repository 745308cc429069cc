//! The letters of files and the digits of ranks as lines, 5 units wide and 7 high, so that a
//! picture needs no font.

/// Returns the path of a letter `a` to `h` or a digit `1` to `8`; empty for others.
pub(super) fn path(char: char) -> &'static str {
    match char {
        'a' => "M4 3v4M4 5a2 2 0 1 1-4 0a2 2 0 1 1 4 0",
        'b' => "M0 0v7M0 5a2 2 0 1 1 4 0a2 2 0 1 1-4 0",
        'c' => "M3.7 3.9a2 2 0 1 0 0 2.2",
        'd' => "M4 0v7M4 5a2 2 0 1 1-4 0a2 2 0 1 1 4 0",
        'e' => "M0 5h4a2 2 0 1 0-.7 1.5",
        'f' => "M3.4.2a1.6 1.6 0 0 0-2 1.5V7M0 3.2h3",
        'g' => "M4 3v4a2 2 0 0 1-3.6 1.2M4 5a2 2 0 1 1-4 0a2 2 0 1 1 4 0",
        'h' => "M0 0v7M0 5a2 2 0 0 1 4 0v2",
        '1' => "M.6 1.4L2.4 0v7",
        '2' => "M.2 1.6a1.9 1.9 0 1 1 3.4 1.3L0 7h4",
        '3' => "M.3.9a1.7 1.7 0 1 1 1.5 2.5a1.8 1.8 0 1 1-1.8 2.3",
        '4' => "M3 7V0L0 5h4.2",
        '5' => "M3.6 0h-3l-.3 3.1a2.1 2.1 0 1 1-.2 3",
        '6' => "M3.3 0L.4 3.9M4 5a2 2 0 1 1-4 0a2 2 0 1 1 4 0",
        '7' => "M0 0h4L1.4 7",
        '8' => "M3.6 1.7a1.6 1.6 0 1 1-3.2 0a1.6 1.6 0 1 1 3.2 0M4 5.2a2 2 0 1 1-4 0a2 2 0 1 1 4 0",
        _ => "",
    }
}
