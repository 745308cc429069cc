use super::*;

fn picture() -> BoardPicture {
    let mut history = History::default();
    for uci in ["e2e4", "e7e5", "g1f3"] {
        history.push(history.parse_uci(uci).unwrap());
    }
    BoardPicture::new(&history)
}

#[test]
fn the_last_move_is_marked() {
    let marked = |picture: &BoardPicture| {
        picture.svg().matches("#cdd26a").count() + picture.svg().matches("#aaa23b").count()
    };
    assert_eq!(
        (
            marked(&picture()),
            marked(&BoardPicture::new(&History::default()))
        ),
        (2, 0)
    );
    let start = BoardPicture::new(&History::default()).last_move(Square::A1, Square::H8);
    assert_eq!(marked(&start), 1, "both squares are dark");
}

#[test]
fn shapes_are_drawn_above_the_pieces() {
    let bare = picture().marks().len();
    let all = ["e2e4", "Rd4", "Ya1a1", "Bh8a1"].map(|text| text.parse::<Shape>().unwrap());
    let drawn = all.into_iter().fold(picture(), BoardPicture::shape).marks();
    assert_eq!(drawn.len(), bare + 3, "no arrow from a square to itself");
    assert!(drawn[bare..].iter().all(|mark| mark.opacity < 1.0));
    for text in ["", "e2", "Re2", "e2e4", "G", "Ge2e9", "e2e4q", "é2", "Xe2"] {
        let parsed = text.parse::<Shape>();
        assert_eq!(
            parsed.is_ok(),
            ["e2", "Re2", "e2e4"].contains(&text),
            "{text}: {parsed:?}"
        );
    }
}

/// Marks of both sides are the same; only their places differ.
#[test]
fn the_board_can_be_turned() {
    let (white, black) = (picture(), picture().seen_by(Color::Black));
    assert_eq!(
        (white.corner(Square::A1), black.corner(Square::A1)),
        ((0.0, 315.0), (315.0, 0.0))
    );
    assert_eq!(white.marks().len(), black.marks().len());
    assert_eq!(
        white.marks().len() - 16,
        picture().without_coordinates().marks().len()
    );
}

#[test]
fn pixels_have_the_colours_of_the_squares() {
    let png = picture().size(720).png();
    let pixels = tiny_skia::Pixmap::decode_png(&png).unwrap();
    assert_eq!((pixels.width(), pixels.height()), (720, 720));
    let color = |x, y| {
        let pixel = pixels.pixel(x, y).unwrap();
        Rgb(pixel.red(), pixel.green(), pixel.blue())
    };
    // a3, b3, f3 with the knight's square, d4, and a part of the white rook on a1.
    assert_eq!([color(45, 495), color(135, 495)], [DARK, LIGHT]);
    assert_eq!((color(455, 455), color(315, 405)), (LIGHT_LAST, DARK));
    assert_eq!(color(45, 680), WHITE);
    assert_eq!(picture().size(0).size, 1);
    assert_eq!(picture().size(u32::MAX).size, BoardPicture::LARGEST);
}
