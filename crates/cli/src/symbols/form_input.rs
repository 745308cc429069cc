//! The form on a terminal: the user types numbers, and the results follow as they change.

use std::io::{self, Write as _};

use anyhow::{Context as _, Result};
use centipawn_core::{Context, Curve};
use centipawn_printer as printer;
use centipawn_review::{FormEval, SymbolsForm};
use crossterm::{
    cursor, event,
    event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers},
    execute, queue, style, terminal,
};
use shakmaty::Color;

/// The state of the form.
pub(super) struct FormInput {
    side: Color,
    curve: Curve,
    /// The curves to choose from, and the index of the one chosen.
    curves: Vec<Curve>,
    chosen: usize,
    context: Context,
    /// Texts of the fields, in the order of [`Field::ALL`]; side and curve have none.
    texts: [String; 4],
    focus: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Field {
    Played,
    Best,
    Second,
    Balance,
    Side,
    Curve,
}

impl Field {
    const ALL: [Field; 6] = [Field::Played, Field::Best, Field::Second, Field::Balance, Field::Side, Field::Curve];

    fn label(self) -> &'static str {
        match self {
            Field::Played => "Played",
            Field::Best => "Best",
            Field::Second => "Second",
            Field::Balance => "Balance",
            Field::Side => "Side",
            Field::Curve => "Curve",
        }
    }
}

/// The curves in the order in which keys go through them. If the form starts with another curve, that one comes first.
const CURVES: [&str; 7] = ["relevance", "relevance-sigmoid", "stockfish", "human", "lichess", "wintrchess", "tcec"];

impl FormInput {
    /// The form with the article's first example in it.
    pub(super) fn new(side: Color, curve: Curve, context: Context) -> Self {
        let balance = curve.balance(context).clamp(Curve::BALANCES[0], Curve::BALANCES[1]);
        let mut curves: Vec<Curve> = CURVES.iter().filter_map(|name| Curve::by_name(name, balance)).collect();
        let chosen = curves.iter().position(|other| is_same(other, &curve)).unwrap_or_else(|| {
            curves.insert(0, curve);
            0
        });
        let texts = ["0.50".into(), "0.50".into(), "-0.30".into(), format!("{balance:.2}")];
        Self { side, curve, curves, chosen, context, texts, focus: 0 }
    }

    /// Handles a key; returns `false` if it ends the form.
    fn key(&mut self, key: KeyEvent) -> bool {
        let field = Field::ALL[self.focus];
        match key.code {
            KeyCode::Esc | KeyCode::Char('q') => return false,
            KeyCode::Char('c' | 'd') if key.modifiers.contains(KeyModifiers::CONTROL) => return false,
            KeyCode::Tab | KeyCode::Down | KeyCode::Enter => self.focus = (self.focus + 1) % Field::ALL.len(),
            KeyCode::BackTab | KeyCode::Up => self.focus = (self.focus + Field::ALL.len() - 1) % Field::ALL.len(),
            KeyCode::Left | KeyCode::Right | KeyCode::Char(' ') if field == Field::Side => self.side = !self.side,
            KeyCode::Left if field == Field::Curve => self.next_curve(self.curves.len() - 1),
            KeyCode::Right | KeyCode::Char(' ') if field == Field::Curve => self.next_curve(1),
            KeyCode::Backspace => {
                self.text_mut().map(String::pop);
            }
            KeyCode::Delete => {
                self.text_mut().map(String::clear);
            }
            KeyCode::Char(char @ ('0'..='9' | '.' | ',' | '-' | '+' | '#')) => {
                let char = if char == ',' { '.' } else { char };
                if let Some(text) = self.text_mut().filter(|text| text.len() < 8) {
                    text.push(char);
                }
            }
            _ => {}
        }
        self.take_balance();
        true
    }

    fn text_mut(&mut self) -> Option<&mut String> {
        self.texts.get_mut(self.focus)
    }

    /// Takes over the balance typed, if the curve has an adjustable one.
    fn take_balance(&mut self) {
        if let (Curve::Relevance { balance } | Curve::RelevanceSigmoid { balance }, Some(typed)) =
            (&mut self.curve, typed_balance(&self.texts[3]))
        {
            *balance = typed;
        }
    }

    fn next_curve(&mut self, step: usize) {
        self.chosen = (self.chosen + step) % self.curves.len();
        self.curve = self.curves[self.chosen];
    }

    /// The computed form, or the problem with the numbers.
    fn answer(&self) -> Result<SymbolsForm, String> {
        let typed = |index: usize| {
            let name = Field::ALL[index].label();
            self.texts[index].trim().parse::<FormEval>().map_err(|error| format!("{name}: {error}"))
        };
        let second = if self.texts[2].trim().is_empty() { None } else { Some(typed(2)?) };
        let (played, best) = (typed(0)?, typed(1)?);
        if matches!(self.curve, Curve::Relevance { .. } | Curve::RelevanceSigmoid { .. }) {
            typed_balance(&self.texts[3]).ok_or("Balance: a number of pawns above 0, such as 0.62")?;
        }
        SymbolsForm::new(self.side, played, best, second, self.curve, self.context)
            .map_err(|_| "Second: better for the mover than the best; all evaluations are White's".to_owned())
    }

    /// The lines of the screen.
    fn screen(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (index, field) in Field::ALL.into_iter().enumerate() {
            let value = match field {
                Field::Side => self.side.to_string(),
                Field::Curve => self.curve.to_string(),
                Field::Balance if !matches!(self.curve, Curve::Relevance { .. } | Curve::RelevanceSigmoid { .. }) => {
                    format!("{:.2} (the curve's own)", self.curve.balance(self.context))
                }
                _ => self.texts[index].clone(),
            };
            let mark = if index == self.focus { '>' } else { ' ' };
            lines.push(format!("{mark} {:9}{value}", field.label()));
        }
        lines.push(String::new());
        match self.answer() {
            Ok(form) => lines.extend(printer::symbols(&form).lines().map(str::to_owned)),
            Err(error) => lines.push(error),
        }
        lines.push(String::new());
        lines.push(
            "Tab, arrows: move and choose; Backspace, Del: erase; Esc: done. Evaluations are White's.".to_owned(),
        );
        lines
    }
}

/// Whether two curves are the same choice: curves with an adjustable balance are, whatever its value.
fn is_same(a: &Curve, b: &Curve) -> bool {
    match (a, b) {
        (Curve::Relevance { .. }, Curve::Relevance { .. }) => true,
        (Curve::RelevanceSigmoid { .. }, Curve::RelevanceSigmoid { .. }) => true,
        _ => a == b,
    }
}

fn typed_balance(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|balance: &f64| *balance > 0.0 && balance.is_finite())
}

/// Raw mode and the alternate screen, which `drop` leaves.
struct Screen;

impl Screen {
    fn open() -> io::Result<Self> {
        terminal::enable_raw_mode()?;
        let screen = Screen;
        execute!(io::stdout(), terminal::EnterAlternateScreen, cursor::Hide)?;
        Ok(screen)
    }

    fn draw(lines: &[String]) -> io::Result<()> {
        let mut out = io::stdout();
        let (columns, rows) = terminal::size()?;
        queue!(out, terminal::Clear(terminal::ClearType::All))?;
        for (row, line) in lines.iter().take(usize::from(rows)).enumerate() {
            let line: String = line.chars().take(usize::from(columns)).collect();
            queue!(out, cursor::MoveTo(0, row as u16), style::Print(line))?;
        }
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // If the terminal is gone, nothing can be done.
        let _ = execute!(io::stdout(), cursor::Show, terminal::LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// Runs the form until the user leaves it; its last state stays on the terminal.
pub(super) fn run(mut input: FormInput) -> Result<()> {
    let screen = Screen::open().context("cannot use the terminal for a form; give --played and --best instead")?;
    loop {
        Screen::draw(&input.screen())?;
        match event::read().context("cannot read from the terminal")? {
            Event::Key(key) if key.kind != KeyEventKind::Release && !input.key(key) => break,
            _ => {}
        }
    }
    drop(screen);
    if let Ok(form) = input.answer() {
        anstream::stdout().write_all(printer::symbols(&form).as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(input: &mut FormInput, keys: &[KeyCode]) {
        for &code in keys {
            assert!(input.key(KeyEvent::new(code, KeyModifiers::NONE)));
        }
    }

    fn input() -> FormInput {
        FormInput::new(Color::White, Curve::Relevance { balance: 0.62 }, Context::default())
    }

    #[test]
    fn it_answers_while_numbers_change() {
        let mut input = input();
        insta::assert_snapshot!("opened", input.screen().join("\n"));
        // Played −1, best 2, no second one.
        use KeyCode::{Char, Delete, Tab};
        typed(&mut input, &[Delete, Char('-'), Char('1'), Tab, Delete, Char('2'), Tab, Delete]);
        let screen = input.screen().join("\n");
        assert!(screen.contains("1.40089"), "{screen}");
        typed(&mut input, &[Tab, Delete]);
        assert!(input.screen().join("\n").contains("Balance: a number of pawns above 0"));
        typed(&mut input, &[Char('1'), Tab, Char(' '), Tab, KeyCode::Right, KeyCode::Right]);
        insta::assert_snapshot!("changed", input.screen().join("\n"));
    }

    /// The initial curve can always be reached again, in the list or not, whatever the balance.
    #[test]
    fn curves_go_round() {
        use KeyCode::{Delete, Down, Left, Right, Up};
        for start in [Curve::WINTRCHESS, Curve::Logistic { k: 0.005, clamp: None }, Curve::Relevance { balance: 0.62 }]
        {
            let mut input = FormInput::new(Color::White, start, Context::default());
            typed(&mut input, &[Up]);
            for (key, back) in [(Right, Left), (Left, Right)] {
                typed(&mut input, &[key]);
                assert_ne!(input.curve, start);
                typed(&mut input, &[back]);
                assert_eq!(input.curve, start);
            }
            for _ in 0..input.curves.len() {
                typed(&mut input, &[Right]);
            }
            assert_eq!(input.curve, start);
        }
        let mut input = input();
        typed(&mut input, &[Down, Down, Down, Delete, Down, Down, Right, Right]);
        assert_eq!(input.curve, Curve::by_name("stockfish", 1.0).unwrap(), "an empty balance is no reason to jump");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let mut input = input();
        typed(&mut input, &[KeyCode::Char('#')]);
        assert!(input.screen().iter().any(|line| line.starts_with("Played: an evaluation is in pawns")));
        let mut input = self::input();
        typed(&mut input, &[KeyCode::Down, KeyCode::Delete, KeyCode::Char('-'), KeyCode::Char('1')]);
        assert!(input.screen().iter().any(|line| line.starts_with("Second: better for the mover")));
    }

    #[test]
    fn it_ends() {
        assert!(!input().key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE)));
        assert!(!input().key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)));
    }
}
