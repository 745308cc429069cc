//! Transcripts: the answers to all questions of some work, as a serializable value. Repeating the
//! work with them gives the same result without an engine.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use centipawn_core::History;
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Question};

use crate::{
    answer,
    packed::{Unpacked, position, unpack},
    query_key::QueryKey,
    varint::{Reader, put, put_signed},
};

/// The first bytes of an encoded transcript. The last of them is the version of the format.
const MAGIC: &[u8; 4] = b"CPT\x02";

/// Maximum number of questions of a transcript that is decoded. Each takes about 300 bytes of
/// memory, however few bytes its encoding has, so a malicious transcript could fill the memory.
/// Mining a long game asks some thousands.
const MOST_QUESTIONS: u64 = 1 << 18;

/// All questions that a job asked an analyst, with the answers.
///
/// A [`Recorder`] creates it, and a [`Replay`] answers from it. Its encoding takes about 100 bytes
/// for each question.
///
/// ```
/// use centipawn_core::History;
/// use centipawn_engine::{Analyst, Cancel, EngineConfig, Limit, Pool, Question, find};
/// use centipawn_store::{Recorder, Replay, Transcript};
///
/// # let Ok(command) = find("stockfish") else { return Ok(()) };
/// # /*
/// let command = find("stockfish")?;
/// # */
/// let pool = Pool::start(&[(EngineConfig::new(command), 1)], &Cancel::new())?;
/// let recorder = Recorder::new(pool);
/// let question = Question::new(History::default(), Limit::Depth(4));
/// let answer = recorder.analyse(&question)?;
/// let (transcript, _nodes) = recorder.finish()?;
/// assert_eq!(transcript.len(), 1);
///
/// // Another process repeats the work without an engine.
/// let transcript = Transcript::from_bytes(&transcript.to_bytes())?;
/// let replay = Replay::new(transcript.identity().clone());
/// replay.load(transcript);
/// assert_eq!(replay.analyse(&question)?.lines, answer.lines);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    identity: Arc<Identity>,
    answers: HashMap<QueryKey, Vec<u8>>,
}

/// The error of decoding a [`Transcript`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TranscriptError {
    /// The bytes have another format, or that of a newer version of this program.
    #[error("it is not a transcript that this program can read")]
    Foreign,
    /// The bytes are damaged.
    #[error("it is damaged")]
    Damaged,
}

impl Transcript {
    /// Returns the identity of the analyst that answered.
    pub fn identity(&self) -> &Arc<Identity> {
        &self.identity
    }

    /// Returns the number of questions.
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Returns whether the work asked no question.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// Returns the answer to exactly this question; `None` if the work did not ask it, or if the
    /// stored answer is damaged or illegal.
    pub fn find(&self, question: &Question) -> Option<Analysis> {
        match QueryKey::of(question) {
            Ok(Some(key)) => self.find_key(&key, question),
            Ok(None) => Some(Analysis::terminal()),
            Err(_) => None,
        }
    }

    fn find_key(&self, key: &QueryKey, question: &Question) -> Option<Analysis> {
        let wanted = usize::try_from(key.lines).ok()?;
        answer::decode(
            self.answers.get(key)?,
            &key.question,
            &question.history,
            wanted,
        )
    }

    /// Returns whether all answers can be used: each has a valid checksum and only legal moves.
    pub fn is_sound(&self) -> bool {
        let is_sound = |(key, answer): (&QueryKey, &Vec<u8>)| {
            let Unpacked { setup, mode, .. } = unpack(&key.question)?;
            let history = History::new(position(setup, mode)?, mode);
            answer::decode(answer, &key.question, &history, usize::MAX)
        };
        self.answers.iter().all(|pair| is_sound(pair).is_some())
    }

    /// Returns questions and answers in a fixed order, unlike that of the map.
    fn sorted(&self) -> Vec<(&QueryKey, &Vec<u8>)> {
        let mut answers: Vec<_> = self.answers.iter().collect();
        answers.sort_unstable_by_key(|(key, _)| {
            (&key.question, key.limit_kind, key.limit_amount, key.lines)
        });
        answers
    }

    /// Encodes the questions, and the answers without their times. An engine with one thread gives
    /// the same bytes for the same work on every machine. Returns `None` if a search was limited by
    /// time, because its answer varies.
    pub fn timeless(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        for (key, answer) in self.sorted() {
            if key.is_timed() {
                return None;
            }
            put_bytes(&mut bytes, &key.question);
            for number in [key.limit_kind, key.limit_amount, key.lines] {
                put_signed(&mut bytes, number);
            }
            put_bytes(&mut bytes, &answer::timeless(answer)?);
        }
        Some(bytes)
    }

    /// Encodes the transcript. Equal transcripts have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        put_bytes(
            &mut bytes,
            serde_json::to_string(&*self.identity)
                .unwrap_or_default()
                .as_bytes(),
        );
        put(&mut bytes, self.answers.len() as u64);
        for (key, answer) in self.sorted() {
            put_bytes(&mut bytes, &key.question);
            for number in [key.limit_kind, key.limit_amount, key.lines] {
                put_signed(&mut bytes, number);
            }
            put_bytes(&mut bytes, answer);
        }
        bytes
    }

    /// Decodes the output of [`to_bytes`](Self::to_bytes). Answers are checked when they are used:
    /// each must have a valid checksum and legal moves. [`is_sound`](Self::is_sound) checks all of
    /// them.
    ///
    /// # Errors
    ///
    /// [`TranscriptError`] if the bytes are not a transcript.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TranscriptError> {
        let mut reader = Reader::new(bytes.strip_prefix(MAGIC).ok_or(TranscriptError::Foreign)?);
        Self::take(&mut reader)
            .filter(|_| reader.rest().is_empty())
            .ok_or(TranscriptError::Damaged)
    }

    fn take(reader: &mut Reader<'_>) -> Option<Self> {
        let identity = serde_json::from_slice(take_bytes(reader)?).ok()?;
        let mut answers = HashMap::new();
        let questions = reader
            .varint()
            .filter(|questions| *questions <= MOST_QUESTIONS)?;
        for _ in 0..questions {
            let question = take_bytes(reader)?.to_vec();
            let [limit_kind, limit_amount, lines] =
                [reader.signed()?, reader.signed()?, reader.signed()?];
            let answer = take_bytes(reader)?.to_vec();
            // Decoding an answer later relies on its first bytes.
            answer::head(&answer)?;
            answers.insert(
                QueryKey {
                    question,
                    limit_kind,
                    limit_amount,
                    lines,
                },
                answer,
            );
        }
        Some(Self {
            identity: Arc::new(identity),
            answers,
        })
    }
}

fn put_bytes(bytes: &mut Vec<u8>, more: &[u8]) {
    put(bytes, more.len() as u64);
    bytes.extend(more);
}

fn take_bytes<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let length = usize::try_from(reader.varint()?).ok()?;
    reader.take(length)
}

/// An analyst that records the questions to another analyst, with the answers.
#[derive(Debug)]
pub struct Recorder<A> {
    analyst: A,
    noted: Mutex<Noted>,
}

#[derive(Debug, Default)]
struct Noted {
    answers: HashMap<QueryKey, Vec<u8>>,
    nodes: u64,
    failure: Option<AnalystError>,
}

impl<A: Analyst> Recorder<A> {
    /// Records the answers of `analyst`.
    pub fn new(analyst: A) -> Self {
        Self {
            analyst,
            noted: Mutex::default(),
        }
    }

    /// Returns the transcript, and the total number of nodes that the engine reported.
    ///
    /// # Errors
    ///
    /// The first error of the analyst, because the work then lacks an answer.
    pub fn finish(self) -> Result<(Transcript, u64), AnalystError> {
        let identity = self.analyst.identity();
        let Noted {
            answers,
            nodes,
            failure,
        } = self
            .noted
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        match failure {
            Some(error) => Err(error),
            None => Ok((Transcript { identity, answers }, nodes)),
        }
    }
}

impl<A: Analyst> Analyst for Recorder<A> {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let result = self.analyst.analyse(question);
        let key = QueryKey::of(question)?;
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        match (&result, key) {
            (Ok(analysis), Some(key)) => {
                noted.nodes += analysis.nodes;
                let bytes = answer::encode(&key.question, analysis);
                noted.answers.insert(key, bytes);
            }
            (Ok(_), None) => {}
            (Err(error), _) => {
                noted.failure.get_or_insert_with(|| error.clone());
            }
        }
        result
    }

    fn identity(&self) -> Arc<Identity> {
        self.analyst.identity()
    }

    fn parallelism(&self) -> usize {
        self.analyst.parallelism()
    }
}

/// An analyst that answers from the most recently loaded [`Transcript`], one question at a time.
#[derive(Debug)]
pub struct Replay {
    identity: Arc<Identity>,
    loaded: Mutex<Option<Transcript>>,
}

impl Replay {
    /// Creates an analyst with this identity. It has no answers until a transcript is loaded.
    pub fn new(identity: Arc<Identity>) -> Self {
        Self {
            identity,
            loaded: Mutex::new(None),
        }
    }

    /// Loads a transcript in place of the previous one.
    pub fn load(&self, transcript: Transcript) {
        *self.loaded.lock().unwrap_or_else(PoisonError::into_inner) = Some(transcript);
    }
}

impl Analyst for Replay {
    /// # Errors
    ///
    /// [`AnalystError::Unknown`] if the transcript has no legal answer to the question.
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let Some(key) = QueryKey::of(question)? else {
            return Ok(Analysis::terminal());
        };
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let found = loaded
            .as_ref()
            .and_then(|transcript| transcript.find_key(&key, question));
        found.ok_or_else(|| AnalystError::Unknown {
            analyst: self.identity.name.clone(),
            reason: format!(
                "the question ({} lines, {}) was not asked",
                question.lines, question.limit
            ),
            fen: question.history.fen(),
        })
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::clone(&self.identity)
    }

    fn parallelism(&self) -> usize {
        1
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use centipawn_core::{Eval, History};
    use centipawn_engine::{Limit, Line};
    use proptest::prelude::*;

    use super::*;

    /// Answers every question with its first legal moves, and fails if the limit is not in nodes.
    struct First;

    impl Analyst for First {
        fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
            let Limit::Nodes(nodes) = question.limit else {
                return Err(AnalystError::NoEngines);
            };
            let moves = question
                .candidates()?
                .into_iter()
                .take(question.lines)
                .enumerate();
            let line = |(rank, mv): (usize, _)| Line {
                pv: vec![mv],
                eval: Eval::cp(30 - rank as i32),
                last_exact: None,
                wdl: None,
                depth: 9,
                seldepth: Some(12),
            };
            Ok(Analysis {
                lines: moves.map(line).collect(),
                nodes,
                depth: 9,
                time: Duration::from_micros(70),
            })
        }

        fn identity(&self) -> Arc<Identity> {
            Arc::new(Identity {
                name: "First".to_owned(),
                author: String::new(),
                options: [].into(),
            })
        }

        fn parallelism(&self) -> usize {
            1
        }
    }

    fn recorded() -> (Vec<Question>, Transcript) {
        let start = History::default();
        let questions = vec![
            Question::new(start.clone(), Limit::Nodes(100)).lines(2),
            Question::new(start.clone(), Limit::Nodes(200)),
            Question::new(start.clone(), Limit::Nodes(100))
                .searchmoves([start.parse_uci("g1f3").unwrap()]),
        ];
        let recorder = Recorder::new(First);
        for question in &questions {
            recorder.analyse(question).unwrap();
        }
        let (transcript, nodes) = recorder.finish().unwrap();
        assert_eq!((transcript.len(), nodes), (3, 400));
        (questions, transcript)
    }

    #[test]
    fn a_replay_gives_the_recorded_answers() {
        let (questions, transcript) = recorded();
        let travelled = Transcript::from_bytes(&transcript.to_bytes()).unwrap();
        assert_eq!(travelled, transcript);
        let replay = Replay::new(First.identity());
        assert!(matches!(
            replay.analyse(&questions[0]),
            Err(AnalystError::Unknown { .. })
        ));
        replay.load(travelled);
        for question in &questions {
            assert_eq!(replay.analyse(question), First.analyse(question));
        }
        let other = questions[0].clone().lines(3);
        assert!(matches!(
            replay.analyse(&other),
            Err(AnalystError::Unknown { .. })
        ));
        let mate = History::from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", None).unwrap();
        assert_eq!(
            replay
                .analyse(&Question::new(mate, Limit::Depth(3)))
                .unwrap(),
            Analysis::terminal()
        );
    }

    #[test]
    fn a_transcript_with_a_damaged_answer_is_not_sound() {
        let (_, transcript) = recorded();
        assert!(transcript.is_sound());
        let mut damaged = transcript.clone();
        *damaged
            .answers
            .values_mut()
            .next()
            .unwrap()
            .last_mut()
            .unwrap() ^= 1;
        assert!(
            !Transcript::from_bytes(&damaged.to_bytes())
                .unwrap()
                .is_sound()
        );
        let mut foreign = transcript;
        let (key, answer) = foreign
            .answers
            .iter()
            .next()
            .map(|(key, answer)| (key.clone(), answer.clone()))
            .unwrap();
        foreign.answers.insert(
            QueryKey {
                question: b"no position".to_vec(),
                ..key
            },
            answer,
        );
        assert!(!foreign.is_sound());
    }

    #[test]
    fn an_error_of_the_analyst_is_kept() {
        let recorder = Recorder::new(First);
        recorder
            .analyse(&Question::new(History::default(), Limit::Nodes(5)))
            .unwrap();
        recorder
            .analyse(&Question::new(History::default(), Limit::Depth(5)))
            .unwrap_err();
        assert_eq!(recorder.finish().unwrap_err(), AnalystError::NoEngines);
    }

    #[test]
    fn foreign_bytes_are_refused() {
        assert_eq!(
            Transcript::from_bytes(b"PAR1"),
            Err(TranscriptError::Foreign)
        );
        let bytes = recorded().1.to_bytes();
        for end in 4..bytes.len() {
            assert_eq!(
                Transcript::from_bytes(&bytes[..end]),
                Err(TranscriptError::Damaged),
                "cut at {end}"
            );
        }
    }

    #[test]
    fn too_many_questions_are_refused() {
        let mut bytes = MAGIC.to_vec();
        put_bytes(
            &mut bytes,
            serde_json::to_string(&*First.identity())
                .unwrap()
                .as_bytes(),
        );
        put(&mut bytes, MOST_QUESTIONS + 1);
        for _ in 0..=MOST_QUESTIONS {
            put_bytes(&mut bytes, b"");
            bytes.extend([0, 0, 0]);
            put_bytes(&mut bytes, b"");
        }
        assert_eq!(
            Transcript::from_bytes(&bytes),
            Err(TranscriptError::Damaged)
        );
    }

    proptest! {
        #[test]
        fn damaged_bytes_never_give_a_wrong_answer(place in 4_usize..400, bit in 0_u8..8) {
            let (questions, transcript) = recorded();
            let mut bytes = transcript.to_bytes();
            let place = place % bytes.len();
            bytes[place] ^= 1_u8 << bit;
            if let Ok(damaged) = Transcript::from_bytes(&bytes) {
                for question in &questions {
                    let found = damaged.find(question);
                    prop_assert!(found.is_none() || found == First.analyse(question).ok());
                }
            }
        }
    }
}
