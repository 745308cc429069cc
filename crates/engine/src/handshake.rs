//! The UCI handshake: an engine's name and options, and the setting of options.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use centipawn_progress::{Cancel, contempt_name, is_neutral, text::printable};

use crate::{
    AnalystError, EngineConfig, Identity, options,
    process::{Process, Received},
    uci::{self, Message, OptionDecl, OptionKind},
};

/// Interval at which a wait for the engine checks for cancellation.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

/// Maximum number of unknown lines before `uciok`, which are accepted as a banner.
const BANNER_LINES: usize = 1000;

/// The data that an engine reports before `uciok`.
#[derive(Debug, Default)]
pub(crate) struct Introduction {
    pub(crate) name: String,
    pub(crate) author: String,
    pub(crate) options: Vec<OptionDecl>,
}

/// What a line before `uciok` is.
pub(crate) enum Read {
    Known,
    /// `uciok`.
    End,
    /// A banner, or nonsense.
    Other,
}

impl Introduction {
    /// Reads one line.
    pub(crate) fn read(&mut self, line: &str) -> Read {
        match uci::parse(line) {
            Message::Name(name) => self.name = shown(name),
            Message::Author(author) => self.author = shown(author),
            // Skip an option whose name has control characters: the user cannot read or type it.
            Message::Option(option) if option.name.contains(char::is_control) => {}
            Message::Option(option) => self.options.push(option),
            Message::UciOk => return Read::End,
            _ if line.trim().is_empty() => {}
            _ => return Read::Other,
        }
        Read::Known
    }
}

/// Sends `uci` and reads until `uciok`.
pub(crate) fn introduce(
    process: &mut Process,
    config: &EngineConfig,
) -> Result<Introduction, AnalystError> {
    let failed = |reason| AnalystError::Handshake {
        engine: config.command.to_string(),
        reason,
    };
    let patience = config.patience.start;
    let deadline = Instant::now() + patience;
    let mut introduction = Introduction::default();
    let mut others = 0;
    let mut unexpected: Option<String> = None;
    let quoted = |unexpected: Option<String>| {
        unexpected.map_or_else(String::new, |line| format!(" but {:?}", clipped(&line)))
    };
    process.send("uci\n");
    loop {
        // Checked for each line, because a program may write without pause.
        if Instant::now() >= deadline || others > BANNER_LINES {
            let waited = if others > BANNER_LINES {
                format!("{others} lines")
            } else {
                format!("{patience:.1?}")
            };
            process.kill();
            return Err(failed(format!(
                "no uciok in {waited}{}",
                quoted(unexpected)
            )));
        }
        match process.listen(deadline) {
            Received::Line(line) => match introduction.read(&line) {
                Read::End => break,
                Read::Known => {}
                Read::Other => {
                    others += 1;
                    unexpected.get_or_insert(line);
                }
            },
            Received::Nothing => {}
            Received::End => {
                let (status, stderr) = process.post_mortem();
                let words = stderr
                    .or(unexpected)
                    .map_or_else(String::new, |line| format!(", saying {:?}", clipped(&line)));
                return Err(failed(format!("it ended before uciok ({status}){words}")));
            }
        }
    }
    if introduction.name.is_empty() {
        introduction.name = config
            .command
            .program
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
    }
    Ok(introduction)
}

/// Returns a name of the engine's own choice as it reaches documents and terminals: without control
/// characters, on one line, and of at most 200 characters.
fn shown(name: &str) -> String {
    printable(name)
        .chars()
        .take(200)
        .collect::<String>()
        .trim()
        .to_owned()
}

/// Returns the first 80 characters of a line.
fn clipped(line: &str) -> String {
    line.trim().chars().take(80).collect()
}

/// Returns the commands that set all options, and the resulting identity.
pub(crate) fn set_up(
    introduction: &Introduction,
    wanted: &[(String, String)],
) -> Result<(String, Identity), AnalystError> {
    let offered = &introduction.options;
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    let mut order = Vec::new();
    for (name, value) in wanted {
        let (name, value) =
            options::check(offered, name, value).map_err(|reason| AnalystError::Option {
                engine: introduction.name.clone(),
                reason,
            })?;
        order.retain(|earlier| *earlier != name);
        order.push(name.clone());
        values.insert(name, value);
    }
    for (name, wanted) in [("Threads", 1), ("Hash", 16)] {
        if let Some(OptionDecl {
            name,
            kind: OptionKind::Spin { min, max, .. },
        }) = options::find(offered, name)
            && !values.contains_key(name)
        {
            order.insert(0, name.clone());
            values.insert(name.clone(), wanted.max(*min).min(*max).to_string());
        }
    }
    if let Some(OptionDecl { name, .. }) = options::find(offered, "UCI_AnalyseMode")
        && !values.contains_key(name)
    {
        order.push(name.clone());
        values.insert(name.clone(), "true".to_owned());
    }
    // Contempt is part of the identity where the engine's default is not neutral, so that documents
    // name it. Neutral defaults are left out, because evaluations in stores are filed under the
    // identity.
    let is_shifted = |name: &str, value: &str| {
        contempt_name(name).is_some_and(|name| !name.starts_with("analysis")) && !is_neutral(value)
    };
    let contempt: Vec<(String, String)> = offered
        .iter()
        .filter(|decl| contempt_name(&decl.name).is_some_and(|name| name != "uci_analysemode"))
        .filter_map(|decl| {
            let value = values
                .get(&decl.name)
                .cloned()
                .or_else(|| decl.kind.default_value())?;
            Some((decl.name.clone(), printable(&value)))
        })
        .collect();
    if contempt.iter().any(|(name, value)| is_shifted(name, value)) {
        for (name, value) in contempt {
            values.entry(name).or_insert(value);
        }
    }
    let mut commands: String = order
        .iter()
        .map(|name| format!("setoption name {name} value {}\n", written(&values[name])))
        .collect();
    // UCI_ShowWDL is not part of the identity, because it changes the output but not the search.
    if let Some(OptionDecl { name, .. }) = options::find(offered, "UCI_ShowWDL") {
        commands += &format!("setoption name {name} value true\n");
    }
    // The default network is part of the identity, because it changes answers like one that the
    // user sets.
    for decl in offered {
        if let OptionKind::Text { default } = &decl.kind
            && (decl.name.starts_with("EvalFile") || decl.name == "WeightsFile")
            && !default.is_empty()
        {
            values
                .entry(decl.name.clone())
                .or_insert_with(|| printable(default));
        }
    }
    Ok((
        commands,
        Identity {
            name: introduction.name.clone(),
            author: introduction.author.clone(),
            options: values,
        },
    ))
}

/// Returns a value in UCI's spelling: the empty text is `<empty>`.
fn written(value: &str) -> &str {
    if value.is_empty() { "<empty>" } else { value }
}

/// Sends `isready` and reads until `readyok`, ignoring other lines. `fen` is for the error. After
/// [`AnalystError::Cancelled`] the engine still owes `readyok`.
pub(crate) fn ready(
    process: &mut Process,
    engine: &str,
    patience: Duration,
    cancel: &Cancel,
    fen: impl Fn() -> String,
) -> Result<(), AnalystError> {
    process.send("isready\n");
    let deadline = Instant::now() + patience;
    while Instant::now() < deadline {
        cancel.check().map_err(|_| AnalystError::Cancelled)?;
        match process.listen(deadline.min(Instant::now() + LOOK)) {
            Received::Line(line) if uci::parse(&line) == Message::ReadyOk => return Ok(()),
            Received::Line(_) | Received::Nothing => {}
            Received::End => {
                let (status, stderr) = process.post_mortem();
                return Err(AnalystError::Died {
                    engine: engine.to_owned(),
                    status,
                    fen: fen(),
                    stderr,
                });
            }
        }
    }
    process.kill();
    Err(AnalystError::Unready {
        engine: engine.to_owned(),
        waited: patience,
        fen: fen(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::EngineCommand;

    fn offering(lines: &[&str]) -> Introduction {
        let options = lines.iter().filter_map(|line| match uci::parse(line) {
            Message::Option(option) => Some(option),
            _ => None,
        });
        Introduction {
            name: "X 1".to_owned(),
            author: String::new(),
            options: options.collect(),
        }
    }

    fn config() -> EngineConfig {
        EngineConfig::new(EngineCommand {
            program: "x".into(),
            args: vec![],
        })
    }

    #[test]
    fn contempt_is_named_where_it_shifts_evaluations() {
        let engine = |contempt: i32, set: &[(&str, &str)]| {
            let spin =
                format!("option name Contempt type spin default {contempt} min -100 max 100");
            let introduction = offering(&[
                &spin,
                "option name Analysis Contempt type combo default Both var Both var Off",
                "option name WDL_Contempt type spin default 0 min 0 max 100",
            ]);
            let set: Vec<(String, String)> = set
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
            set_up(&introduction, &set).unwrap()
        };
        let (commands, identity) = engine(24, &[]);
        assert_eq!(
            (
                &*identity.options["Contempt"],
                &*identity.options["Analysis Contempt"]
            ),
            ("24", "Both")
        );
        assert!(!commands.contains("Contempt"), "defaults are not set again");
        let note = identity.contempt_note().unwrap();
        assert!(
            note.starts_with("X 1: Analysis Contempt Both, Contempt 24 shifts"),
            "{note}"
        );
        // A neutral default changes no identity, since stores file evaluations under it.
        let (_, identity) = engine(0, &[]);
        assert!(identity.options.is_empty() && identity.contempt_note().is_none());
        let (commands, identity) = engine(24, &[("contempt", "0")]);
        assert!(commands.contains("setoption name Contempt value 0"));
        assert_eq!(identity.contempt_note(), None);
        let (_, identity) = engine(24, &[("Analysis Contempt", "off")]);
        assert_eq!(identity.contempt_note(), None);
        assert!(
            engine(0, &[("WDL_Contempt", "30")])
                .1
                .contempt_note()
                .is_some()
        );
    }

    #[test]
    fn defaults_where_offered() {
        let introduction = offering(&[
            "option name Threads type spin default 4 min 1 max 8",
            "option name Hash type spin default 64 min 32 max 1024",
            "option name UCI_ShowWDL type check default false",
            "option name EvalFile type string default nn.nnue",
            "option name SyzygyPath type string default <empty>",
        ]);
        let (commands, identity) = set_up(&introduction, &config().options).unwrap();
        assert_eq!(
            commands,
            "setoption name Hash value 32\nsetoption name Threads value 1\nsetoption name UCI_ShowWDL value true\n"
        );
        assert_eq!(
            identity.with_options(),
            "X 1 (EvalFile nn.nnue, Hash 32, Threads 1)"
        );

        let (commands, identity) = set_up(
            &introduction,
            &config()
                .option("threads", "2")
                .option("EvalFile", "")
                .options,
        )
        .unwrap();
        assert!(
            commands.contains("name Threads value 2\n")
                && commands.contains("name EvalFile value <empty>\n"),
            "{commands}"
        );
        assert_eq!(identity.options["Threads"], "2");
        assert_eq!(set_up(&Introduction::default(), &[]).unwrap().0, "");
    }

    #[test]
    fn the_last_of_two_values_counts() {
        let introduction = offering(&["option name Skill Level type spin default 20 min 0 max 20"]);
        let (commands, _) = set_up(
            &introduction,
            &config()
                .option("Skill Level", "3")
                .option("skill level", "5")
                .options,
        )
        .unwrap();
        assert_eq!(commands, "setoption name Skill Level value 5\n");
    }
}
