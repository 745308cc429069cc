//! From a started program to an engine that is known and set up.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use crate::{
    AnalystError, EngineConfig, Identity, options,
    process::{Heard, Process},
    uci::{self, Message, OptionDecl, OptionKind},
};

/// Other lines before `uciok` that are still taken for a banner.
const BANNER_LINES: usize = 1000;

/// What an engine says of itself before `uciok`.
#[derive(Debug, Default)]
pub(crate) struct Introduction {
    pub(crate) name: String,
    pub(crate) author: String,
    pub(crate) options: Vec<OptionDecl>,
}

/// Says `uci` and listens until `uciok`.
pub(crate) fn introduce(process: &mut Process, config: &EngineConfig) -> Result<Introduction, AnalystError> {
    let failed = |reason| AnalystError::Handshake { engine: config.command.to_string(), reason };
    let patience = config.patience.start;
    let deadline = Instant::now() + patience;
    let mut told = Introduction::default();
    let mut others = 0;
    let mut rubbish: Option<String> = None;
    let quoted =
        |rubbish: Option<String>| rubbish.map_or_else(String::new, |line| format!(" but {:?}", clipped(&line)));
    process.send("uci\n");
    loop {
        // A program that never falls silent must not keep us from looking at the clock.
        if Instant::now() >= deadline || others > BANNER_LINES {
            let waited = if others > BANNER_LINES { format!("{others} lines") } else { format!("{patience:.1?}") };
            process.kill();
            return Err(failed(format!("no uciok in {waited}{}", quoted(rubbish))));
        }
        match process.listen(deadline) {
            Heard::Line(line) => match uci::parse(&line) {
                Message::Name(name) => told.name = name.to_owned(),
                Message::Author(author) => told.author = author.to_owned(),
                Message::Option(option) => told.options.push(option),
                Message::UciOk => break,
                _ if line.trim().is_empty() => {}
                _ => {
                    others += 1;
                    rubbish.get_or_insert(line);
                }
            },
            Heard::Nothing => {}
            Heard::End => {
                let (status, stderr) = process.post_mortem();
                let words =
                    stderr.or(rubbish).map_or_else(String::new, |line| format!(", saying {:?}", clipped(&line)));
                return Err(failed(format!("it ended before uciok ({status}){words}")));
            }
        }
    }
    if told.name.is_empty() {
        told.name = config.command.program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    }
    Ok(told)
}

/// The start of a line that may be anything.
fn clipped(line: &str) -> String {
    line.trim().chars().take(80).collect()
}

/// The options to send at once and the identity they make.
pub(crate) fn set_up(told: &Introduction, config: &EngineConfig) -> Result<(String, Identity), AnalystError> {
    let offered = &told.options;
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    let mut order = Vec::new();
    for (name, value) in &config.options {
        let (name, value) = options::check(offered, name, value)
            .map_err(|reason| AnalystError::Option { engine: told.name.clone(), reason })?;
        order.retain(|earlier| *earlier != name);
        order.push(name.clone());
        values.insert(name, value);
    }
    for (name, wanted) in [("Threads", 1), ("Hash", 16)] {
        if let Some(OptionDecl { name, kind: OptionKind::Spin { min, max, .. } }) = options::find(offered, name)
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
    let mut commands: String =
        order.iter().map(|name| format!("setoption name {name} value {}\n", written(&values[name]))).collect();
    // Changes what is said, not what is found: no part of the identity.
    if let Some(OptionDecl { name, .. }) = options::find(offered, "UCI_ShowWDL") {
        commands += &format!("setoption name {name} value true\n");
    }
    // The network an engine takes by itself changes its answers as much as one that was set.
    for decl in offered {
        if let OptionKind::Text { default } = &decl.kind
            && (decl.name.starts_with("EvalFile") || decl.name == "WeightsFile")
            && !default.is_empty()
        {
            values.entry(decl.name.clone()).or_insert_with(|| default.clone());
        }
    }
    Ok((commands, Identity { name: told.name.clone(), author: told.author.clone(), options: values }))
}

/// UCI writes the empty text as `<empty>`.
fn written(value: &str) -> &str {
    if value.is_empty() { "<empty>" } else { value }
}

/// Says `isready` and listens until `readyok`; everything before it is passed over. `fen` is for the error.
pub(crate) fn ready(
    process: &mut Process,
    engine: &str,
    patience: Duration,
    fen: impl Fn() -> String,
) -> Result<(), AnalystError> {
    process.send("isready\n");
    let deadline = Instant::now() + patience;
    while Instant::now() < deadline {
        match process.listen(deadline) {
            Heard::Line(line) if uci::parse(&line) == Message::ReadyOk => return Ok(()),
            Heard::Line(_) | Heard::Nothing => {}
            Heard::End => {
                let (status, stderr) = process.post_mortem();
                return Err(AnalystError::Died { engine: engine.to_owned(), status, fen: fen(), stderr });
            }
        }
    }
    process.kill();
    Err(AnalystError::Unready { engine: engine.to_owned(), waited: patience, fen: fen() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::EngineCommand;

    fn told(lines: &[&str]) -> Introduction {
        let options = lines.iter().filter_map(|line| match uci::parse(line) {
            Message::Option(option) => Some(option),
            _ => None,
        });
        Introduction { name: "X 1".to_owned(), author: String::new(), options: options.collect() }
    }

    fn config() -> EngineConfig {
        EngineConfig::new(EngineCommand { program: "x".into(), args: vec![] })
    }

    #[test]
    fn defaults_where_offered() {
        let told = told(&[
            "option name Threads type spin default 4 min 1 max 8",
            "option name Hash type spin default 64 min 32 max 1024",
            "option name UCI_ShowWDL type check default false",
            "option name EvalFile type string default nn.nnue",
            "option name SyzygyPath type string default <empty>",
        ]);
        let (commands, identity) = set_up(&told, &config()).unwrap();
        assert_eq!(
            commands,
            "setoption name Hash value 32\nsetoption name Threads value 1\nsetoption name UCI_ShowWDL value true\n"
        );
        assert_eq!(identity.with_options(), "X 1 (EvalFile nn.nnue, Hash 32, Threads 1)");

        let (commands, identity) = set_up(&told, &config().option("threads", "2").option("EvalFile", "")).unwrap();
        assert!(
            commands.contains("name Threads value 2\n") && commands.contains("name EvalFile value <empty>\n"),
            "{commands}"
        );
        assert_eq!(identity.options["Threads"], "2");
        assert_eq!(set_up(&Introduction::default(), &config()).unwrap().0, "");
    }

    #[test]
    fn the_last_of_two_values_counts() {
        let told = told(&["option name Skill Level type spin default 20 min 0 max 20"]);
        let (commands, _) = set_up(&told, &config().option("Skill Level", "3").option("skill level", "5")).unwrap();
        assert_eq!(commands, "setoption name Skill Level value 5\n");
    }
}
