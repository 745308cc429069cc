//! Frames decoded side by side give what one decoder gives.

use std::{
    fs,
    io::{BufReader, Cursor, Write},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use proptest::{collection::vec, prelude::*, sample::Index};
use zstd::zstd_safe::CParameter;

use super::*;
use crate::source::{Decoded, INPUT, Opened, open};

/// The text before an error, and the error.
type Outcome = (Vec<u8>, Option<(ErrorKind, String)>);

fn outcome(mut input: impl Read, mut size: impl FnMut() -> usize) -> Outcome {
    let mut text = Vec::new();
    let mut buffer = vec![0; 300_000];
    loop {
        match input.read(&mut buffer[..size()]) {
            Ok(0) => return (text, None),
            Ok(read) => text.extend_from_slice(&buffer[..read]),
            Err(error) => return (text, Some((error.kind(), error.to_string()))),
        }
    }
}

/// Returns what one decoder gives that reads the whole file.
fn one_decoder(bytes: &[u8]) -> Outcome {
    let (magic, rest) = bytes.split_at(bytes.len().min(4));
    let input = BufReader::with_capacity(INPUT, Cursor::new(magic).chain(rest));
    outcome(Decoded(zstd::Decoder::with_buffer(input).unwrap()), || {
        PIECE
    })
}

/// Sizes of buffers that callers may have.
fn sizes(mut seed: u64) -> impl FnMut() -> usize {
    move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        [1, 100, 8192, 50_000, PIECE, 300_000][(seed >> 33) as usize % 6]
    }
}

/// Reads with some threads that decode ahead; `None` if there is but one span.
fn side_by_side(
    file: &Arc<File>,
    threads: usize,
    limits: Limits,
    seed: u64,
) -> Option<(Outcome, u64)> {
    let read = Arc::default();
    let reader = FrameReader::with_limits(file, &read, threads, limits)?;
    let (frames, is_over) = (reader.frames(), AtomicBool::new(false));
    let outcome = thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| {
                help(&frames, &is_over, || {
                    let (decoded, all) = frames.lock().held();
                    assert!(
                        decoded <= all && all <= limits.chunks + 1,
                        "{decoded} {all}"
                    );
                });
            });
        }
        let outcome = outcome(reader, sizes(seed));
        is_over.store(true, Ordering::Relaxed);
        outcome
    });
    Some((outcome, read.load(Ordering::Relaxed)))
}

/// Decodes ahead until the reader is done.
fn help(frames: &Arc<Frames>, is_over: &AtomicBool, check: impl Fn()) {
    while !is_over.load(Ordering::Relaxed) {
        match frames.ahead() {
            Some(ahead) => ahead.run(),
            None => thread::sleep(Duration::from_micros(100)),
        }
        check();
    }
}

fn file(bytes: &[u8]) -> (tempfile::NamedTempFile, Arc<File>) {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), bytes).unwrap();
    let open = Arc::new(File::open(file.path()).unwrap());
    (file, open)
}

#[derive(Clone, Debug)]
enum Content {
    Text(usize),
    Noise(usize),
    Same(usize),
}

impl Content {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(length) => {
                let mut text: Vec<u8> = (0u64..)
                    .flat_map(|i| format!("{i}. e4 {{{}}} ", i * i % 997).into_bytes())
                    .take(*length)
                    .collect();
                text.resize(*length, b'.');
                text
            }
            Self::Noise(length) => {
                let mut number = 1u64;
                let mut next = || {
                    number = number
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    (number >> 40) as u8
                };
                (0..*length).map(|_| next()).collect()
            }
            Self::Same(length) => vec![b'x'; *length],
        }
    }
}

#[derive(Clone, Debug)]
enum Frame {
    Encoded {
        content: Content,
        level: i32,
        checksum: bool,
        size: bool,
        flush: bool,
        window: Option<u32>,
    },
    /// Blocks by size: `true` for a block of one repeated byte, `false` for a block of uncompressed
    /// bytes.
    Blocks(Vec<(bool, usize)>),
    Skippable(u8, usize),
}

impl Frame {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Encoded {
                content,
                level,
                checksum,
                size,
                flush,
                window,
            } => {
                let bytes = content.bytes();
                let mut encoder = zstd::Encoder::new(Vec::new(), *level).unwrap();
                encoder.include_checksum(*checksum).unwrap();
                if let Some(window) = window {
                    encoder
                        .set_parameter(CParameter::WindowLog(*window))
                        .unwrap();
                }
                if *size {
                    encoder
                        .set_pledged_src_size(Some(bytes.len() as u64))
                        .unwrap();
                }
                for span in bytes.chunks(if *flush { 30_000 } else { usize::MAX }) {
                    encoder.write_all(span).unwrap();
                    if *flush {
                        encoder.flush().unwrap();
                    }
                }
                encoder.finish().unwrap()
            }
            Self::Blocks(blocks) => {
                // A window of 128 KiB.
                let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3];
                for (index, (repeats, length)) in blocks.iter().enumerate() {
                    let is_last = usize::from(index + 1 == blocks.len());
                    let header = length << 3 | usize::from(*repeats) << 1 | is_last;
                    frame.extend_from_slice(&header.to_le_bytes()[..3]);
                    frame.extend(std::iter::repeat_n(
                        b'r',
                        if *repeats { 1 } else { *length },
                    ));
                }
                frame
            }
            Self::Skippable(variant, length) => {
                let magic = [0x50 + variant, 0x2a, 0x4d, 0x18];
                [
                    &magic[..],
                    &(*length as u32).to_le_bytes(),
                    &vec![7; *length],
                ]
                .concat()
            }
        }
    }
}

fn content() -> impl Strategy<Value = Content> {
    let length = prop_oneof![4 => 0usize..3000, 2 => 0usize..150_000, 1 => 100_000usize..500_000];
    prop_oneof![
        3 => length.clone().prop_map(Content::Text),
        1 => length.clone().prop_map(Content::Noise),
        1 => length.prop_map(Content::Same),
    ]
}

fn frame() -> impl Strategy<Value = Frame> {
    let level = prop::sample::select(vec![-5, 1, 1, 3, 9, 19]);
    let window = prop_oneof![4 => Just(None), 1 => prop::sample::select(vec![10, 17, 24, 27]).prop_map(Some)];
    prop_oneof![
        6 => (content(), level, any::<bool>(), any::<bool>(), any::<bool>(), window).prop_map(
            |(content, level, checksum, size, flush, window)| Frame::Encoded { content, level, checksum, size, flush, window }
        ),
        2 => vec((any::<bool>(), prop_oneof![0usize..10, Just(PIECE)]), 1..6).prop_map(Frame::Blocks),
        1 => (0u8..16, prop_oneof![Just(0usize), 0usize..200, Just(200_000)]).prop_map(|(kind, length)| Frame::Skippable(kind, length)),
    ]
}

#[derive(Clone, Debug)]
enum Damage {
    None,
    Cut(Index),
    /// Cuts off a few of the last bytes, where a checksum or a header may be.
    CutLittle(usize),
    Change(Index, u8),
    /// Near the beginning of a frame.
    ChangeHeader(Index, usize, u8),
    Append(Vec<u8>),
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        Just(Damage::None),
        any::<Index>().prop_map(Damage::Cut),
        (1usize..12).prop_map(Damage::CutLittle),
        (any::<Index>(), 1u8..).prop_map(|(at, change)| Damage::Change(at, change)),
        (
            any::<Index>(),
            0usize..20,
            prop_oneof![any::<u8>(), (0..8).prop_map(|bit| 1u8 << bit)]
        )
            .prop_map(|(frame, at, change)| Damage::ChangeHeader(frame, at, change)),
        prop_oneof![
            vec(any::<u8>(), 1..20),
            Just(b"\n".to_vec()),
            Just(vec![0x28, 0xb5]),
            Just(vec![0x28, 0xb5, 0x2f, 0xfd, 0]),
            Just(vec![0x51, 0x2a, 0x4d, 0x18, 9]),
        ]
        .prop_map(Damage::Append),
    ]
}

fn damaged(frames: &[Frame], damage: &Damage) -> Vec<u8> {
    let frames: Vec<Vec<u8>> = frames.iter().map(Frame::bytes).collect();
    let mut bytes = frames.concat();
    match damage {
        Damage::None => {}
        Damage::Cut(at) => bytes.truncate(at.index(bytes.len() + 1)),
        Damage::CutLittle(length) => bytes.truncate(bytes.len() - length.min(&bytes.len())),
        Damage::Change(at, change) => {
            let at = at.index(bytes.len());
            bytes[at] ^= change;
        }
        Damage::ChangeHeader(frame, at, change) => {
            let at = at
                + frames[..frame.index(frames.len())]
                    .iter()
                    .map(Vec::len)
                    .sum::<usize>();
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= change;
            }
        }
        Damage::Append(more) => bytes.extend_from_slice(more),
    }
    bytes
}

fn limits() -> impl Strategy<Value = Limits> {
    let span = prop::sample::select(vec![1, 5000, LIMITS.span]);
    let frame = prop::sample::select(vec![20_000, LIMITS.frame]);
    let window = prop::sample::select(vec![1 << 17, LIMITS.window]);
    let chunk = prop::sample::select(vec![PIECE, 2 * PIECE + 7, LIMITS.chunk]);
    (span, frame, window, chunk, 1usize..5).prop_map(|(span, frame, window, chunk, chunks)| {
        Limits {
            span,
            frame,
            window,
            chunk,
            chunks,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn frames_give_the_text_of_one_decoder(
        frames in vec(frame(), 1..8),
        damage in damage(),
        limits in limits(),
        threads in 1usize..4,
        seed: u64,
    ) {
        let bytes = damaged(&frames, &damage);
        let one = one_decoder(&bytes);
        let (named, file) = file(&bytes);
        if let Some((many, read)) = side_by_side(&file, threads, limits, seed) {
            prop_assert_eq!(&many.1, &one.1);
            prop_assert!(many.0 == one.0, "{} bytes, not {}", many.0.len(), one.0.len());
            prop_assert!(one.1.is_some() || read == bytes.len() as u64);
        }
        // Read in the way of a scan, with one thread and with several.
        for threads in 1..3 {
            if let Opened::Stream(input, _) = open(named.path(), &Arc::default(), threads, None).unwrap() {
                let opened = outcome(input, sizes(seed));
                prop_assert_eq!(&opened.1, &one.1);
                prop_assert!(opened.0 == one.0, "{} bytes, not {}", opened.0.len(), one.0.len());
            }
        }
    }
}

/// A block of a repeated byte exceeds the maximum size. How much of the block is decoded depends on
/// the decoder's memory, but the error does not.
#[test]
fn errors_of_damage_do_not_depend_on_frames_before() {
    let too_large = Frame::Blocks(vec![(true, 900_000), (false, 7)]).bytes();
    let wide = zstd::encode_all(Content::Text(500_000).bytes().as_slice(), 19).unwrap();
    let [alone, behind] =
        [too_large.clone(), [&wide[..], &too_large].concat()].map(|bytes| one_decoder(&bytes).1);
    let damaged = "its compressed data is damaged; copy or download it again".to_owned();
    assert_eq!(alone, Some((ErrorKind::InvalidData, damaged)));
    assert_eq!(behind, alone);
}

fn text(length: usize) -> Vec<u8> {
    zstd::encode_all(Content::Text(length).bytes().as_slice(), 1).unwrap()
}

/// Returns how many spans a file is divided into.
fn spans(bytes: &[u8], limits: Limits) -> usize {
    let mut walk = Walk::new(file(bytes).1, limits);
    std::iter::from_fn(|| walk.next()).count()
}

#[test]
fn parts_are_whole_frames() {
    let one_each = Limits { span: 1, ..LIMITS };
    let many = [
        text(200_000),
        text(0),
        Frame::Skippable(3, 50).bytes(),
        text(10),
    ]
    .concat();
    assert_eq!(spans(&many, one_each), 4);
    assert_eq!(spans(&many, LIMITS), 1);
    // After damage, the rest of the file is one span.
    assert_eq!(spans(&[&many[..], b"?", &many].concat(), one_each), 5);
    assert_eq!(spans(&many[..many.len() - 1], one_each), 4);
    assert_eq!(spans(b"", LIMITS), 0);
    // A frame with a too large window, and a too large frame.
    let wide = Frame::Encoded {
        content: Content::Text(100),
        level: 1,
        checksum: true,
        size: false,
        flush: true,
        window: Some(24),
    };
    assert_eq!(
        spans(&[text(10), wide.bytes(), text(10)].concat(), one_each),
        2
    );
    assert_eq!(
        spans(
            &[text(10), text(500_000), text(10)].concat(),
            Limits {
                frame: 10_000,
                ..one_each
            }
        ),
        2
    );
}

#[test]
fn one_part_needs_one_decoder() {
    for bytes in [
        vec![],
        text(100),
        [text(100), text(100)].concat(),
        vec![0x28, 0xb5, 0x2f, 0xfd],
    ] {
        assert!(FrameReader::open(&file(&bytes).1, &Arc::default(), 4).is_none());
    }
    let noise = zstd::encode_all(Content::Noise(300_000).bytes().as_slice(), 1).unwrap();
    assert!(FrameReader::open(&file(&noise).1, &Arc::default(), 4).is_none());
    assert!(
        FrameReader::open(&file(&[&noise[..], &noise].concat()).1, &Arc::default(), 4).is_some()
    );
}

#[test]
fn a_bomb_is_not_decoded_ahead_of_its_reader() {
    // 100 frames, each of which expands from a few bytes to 16 MiB.
    let bomb = Frame::Blocks(vec![(true, PIECE); 128]).bytes().repeat(100);
    let limits = Limits { span: 1, ..LIMITS };
    let mut reader = FrameReader::with_limits(&file(&bomb).1, &Arc::default(), 2, limits).unwrap();
    let frames = reader.frames();
    let all_ahead = || {
        while let Some(ahead) = frames.ahead() {
            ahead.run();
        }
        frames.lock().held().0
    };
    assert_eq!(all_ahead(), LIMITS.chunks);
    assert_eq!(reader.read(&mut [0; 10]).unwrap(), 10);
    assert_eq!(all_ahead(), LIMITS.chunks);
    // Dropping the reader does not interrupt a thread that already decodes. This thread finishes
    // its chunk, begins no other and releases the frames.
    let begun = frames.lock().decode(4).unwrap();
    drop(reader);
    frames.run(begun);
    assert!(frames.ahead().is_none());
    assert_eq!(Arc::strong_count(&frames), 1);
}
