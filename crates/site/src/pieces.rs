//! The pieces: our own drawings on 45 × 45 units.

use shakmaty::Role;

/// A part of a drawing of a piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Part {
    /// An outline in the piece's colour, as the path of an SVG.
    Outline(&'static str),
    /// A line in the other colour, as the path of an SVG.
    Line(&'static str),
    /// A dot in the other colour: x and y of the centre, and the radius.
    Dot(f64, f64, f64),
}

/// Returns the parts of a piece, the lowest first.
pub(crate) fn drawing(role: Role) -> &'static [Part] {
    use Part::{Dot, Line, Outline};
    match role {
        Role::Pawn => &[Outline(
            "M22.5 9a5.2 5.2 0 0 0-3.6 9c-2.5 1.6-3.3 4.6-1.4 7-3.6 2.3-5.8 6-6.2 11h22.4c-.4-5-2.6-8.7-6.2-11 1.9-2.4 1.1-5.4-1.4-7a5.2 5.2 0 0 0-3.6-9z",
        )],
        Role::Knight => &[
            Outline(
                "M13.5 37.5c0-8 5.5-10.5 7-15.5-2.5 1.5-4 4-7.2 4.8-2.3.6-4.3-1.6-3.6-3.9 1.5-4.3 3.6-7.9 6.6-10.7l.4-5 4 3.1c9 .4 14.3 9.7 13.8 27.2z",
            ),
            Dot(18.3, 15.3, 1.2),
            Line("M24.5 12.5c4.5 3 6.5 9.5 6.3 21.5"),
        ],
        Role::Bishop => &[
            Outline(
                "M22.5 5.5a2.6 2.6 0 0 0-1.7 4.6c-5.3 4-7.3 9.6-4.3 15.4h12c3-5.8 1-11.4-4.3-15.4a2.6 2.6 0 0 0-1.7-4.6zM16.5 28.5c0 3-4.5 4.5-5.5 9h23c-1-4.5-5.5-6-5.5-9z",
            ),
            Line("M22.5 14.5v7M19 18h7M15.8 27h13.4"),
        ],
        Role::Rook => &[
            Outline("M11 8.5h5v3h4v-3h5v3h4v-3h5v7l-3.5 3v11.5l3 3v4.5h-22v-4.5l3-3v-11.5l-3.5-3z"),
            Line("M14.5 18.5h16M14.5 30h16"),
        ],
        Role::Queen => &[
            Outline(
                "M9 14a2.3 2.3 0 1 1 2.6-1.1l5 8.6 1-11.5a2.3 2.3 0 1 1 2.2 0l2.7 10.7 2.7-10.7a2.3 2.3 0 1 1 2.2 0l1 11.5 5-8.6A2.3 2.3 0 1 1 36 14l-3.7 15.5 1.7 8h-23l1.7-8z",
            ),
            Line("M12.8 29.5c6-1.8 13.4-1.8 19.4 0M12 34c6.5-1.6 14.5-1.6 21 0"),
        ],
        Role::King => &[
            Outline(
                "M20.8 5h3.4v2.8h3v3.2h-3v3.3c1.5.7 2.5 2 3 3.6 3.5-2.3 9-1.5 10.2 3 1 4-2 7.1-5.4 9.6l1.5 7h-22l1.5-7c-3.4-2.5-6.4-5.6-5.4-9.6 1.2-4.5 6.7-5.3 10.2-3 .5-1.6 1.5-2.9 3-3.6v-3.3h-3v-3.2h3z",
            ),
            Line("M13 30.5c6-2 13-2 19 0M12.3 34.5c6.5-1.7 13.9-1.7 20.4 0M22.5 18.5v8.5"),
        ],
    }
}

/// Returns the parts of a piece as elements of SVG, whose classes the page's styles colour.
pub(crate) fn markup(role: Role) -> String {
    let part = |part: &Part| match part {
        Part::Outline(path) => format!("<path d=\"{path}\"/>"),
        Part::Line(path) => format!("<path class=\"l\" d=\"{path}\"/>"),
        Part::Dot(x, y, radius) => {
            format!("<circle class=\"d\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>")
        }
    };
    drawing(role).iter().map(part).collect()
}
