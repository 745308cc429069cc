//! `centipawn diagram`: a position as a picture.

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::{Context as _, Result};
use centipawn_progress::AtomicFile;
use centipawn_site::{BoardPicture, PictureForm, Shape};
use centipawn_work::engine::parse_position;
use clap::{Args, ValueEnum};

use crate::{exit::usage, numbers::whole_number, session::Session};

/// Arguments of `centipawn diagram`.
#[derive(Args)]
pub(crate) struct Diagram {
    /// The position: a FEN or startpos, optionally followed by "moves e2e4 …"
    #[arg(value_name = "POSITION")]
    position: String,
    /// Write to a file: .svg or .png (- is SVG on standard output)
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Draw an arrow (e2e4) or a circle (d4), as in comments of PGN; a letter before it is the
    /// colour (Re2e4): G is green (the default), R red, Y yellow, B blue; may be repeated, or
    /// separated by commas
    #[arg(long = "draw", value_name = "SHAPES", value_delimiter = ',')]
    shapes: Vec<Shape>,
    /// Mark the squares of the last move (e2e4) [default: the last of the moves]
    #[arg(long, value_name = "MOVE")]
    last_move: Option<Shape>,
    /// The side at the bottom
    #[arg(long, value_enum, value_name = "SIDE", default_value_t)]
    orientation: Orientation,
    /// Width and height in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 360, value_parser = whole_number::<u32>(8..=i64::from(BoardPicture::LARGEST)))]
    size: u32,
}

/// `--orientation`.
#[derive(Clone, Copy, Default, ValueEnum)]
enum Orientation {
    #[default]
    White,
    Black,
    /// The side to move
    Mover,
}

/// Runs the command.
pub(crate) fn run(args: &Diagram, session: &Session) -> Result<ExitCode> {
    let form = PictureForm::of(&args.output).map_err(|error| usage(error.to_string()))?;
    let position = parse_position(&args.position).map_err(|error| usage(error.to_string()))?;
    let side = match args.orientation {
        Orientation::White => shakmaty::Color::White,
        Orientation::Black => shakmaty::Color::Black,
        Orientation::Mover => position.turn(),
    };
    let picture = BoardPicture::new(&position).seen_by(side).size(args.size);
    let picture = match args.last_move {
        Some(Shape::Arrow(_, from, to)) => picture.last_move(from, to),
        Some(Shape::Circle(..)) => return Err(usage("--last-move has two squares, such as e2e4")),
        None => picture,
    };
    let picture = args
        .shapes
        .iter()
        .copied()
        .fold(picture, BoardPicture::shape);
    let mut out = AtomicFile::create(&args.output, session.cancel()?)?;
    out.write_all(&picture.bytes(form))
        .context("cannot write the picture")?;
    session.place(out)?;
    Ok(ExitCode::SUCCESS)
}
