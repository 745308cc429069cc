//! The words of tables and headings, which pages, reports and texts share.

macro_rules! labels {
    ($($name:ident: $english:literal, $german:literal;)*) => {
        /// The words of tables and headings, in one language.
        #[expect(missing_docs, reason = "a field is named for its word")]
        #[non_exhaustive]
        pub struct Labels {
            $(pub $name: &'static str,)*
        }

        impl Labels {
            /// The name of every word, with its English and German.
            pub const ALL: &[(&'static str, &'static str, &'static str)] = &[$((stringify!($name), $english, $german),)*];

            pub(crate) const ENGLISH: Labels = Labels { $($name: $english,)* };
            pub(crate) const GERMAN: Labels = Labels { $($name: $german,)* };
        }
    };
}

labels! {
    review: "Game review", "Partieanalyse";
    games: "Games", "Partien";
    review_own: "Review your own games in this browser", "Eigene Partien in diesem Browser analysieren";
    player: "Player", "Spieler";
    players: "Players", "Spieler";
    result: "Result", "Ergebnis";
    score: "Score", "Punkte";
    opening: "Opening", "Eröffnung";
    openings: "Openings", "Eröffnungen";
    expected_score: "Expected score", "Erwartete Punkte";
    accuracy: "Accuracy", "Genauigkeit";
    relevant_loss: "Relevant loss", "Relevanter Verlust";
    given_away: "Points given away", "Verschenkte Punkte";
    losses_explained:
        "Relevant loss: expected score lost by the moves, in pawns; a pawn counts less in a more decided game. Points given away: the same loss in points of the result; a win is 1 point. Accuracy, as on Lichess: a mean over the moves, in which bad moves and moves in sharp positions weigh more.",
        "Relevanter Verlust: erwartete Punkte, die die Züge verloren, in Bauern; je entschiedener die Partie, desto weniger zählt ein Bauer. Verschenkte Punkte: derselbe Verlust in Punkten des Ergebnisses; ein Sieg ist 1 Punkt. Genauigkeit wie bei Lichess: ein Mittel über die Züge, in dem schlechte Züge und Züge in scharfen Stellungen mehr wiegen.";
    loss_per_move: "Relevant loss per move", "Relevanter Verlust je Zug";
    whole_game: "Whole game", "Ganze Partie";
    no_symbols: "No move has a symbol.", "Kein Zug hat ein Zeichen.";
    remark: "Remark", "Bemerkung";
    time: "Time", "Zeit";
    critical_moments: "Critical moments", "Kritische Momente";
    hardest_moments: "Hardest moments", "Die schwersten Momente";
    moves: "Moves", "Züge";
    number: "No.", "Nr.";
    white: "White", "Weiß";
    black: "Black", "Schwarz";
    no_moves: "No moves were played.", "Es wurde nicht gezogen.";
    better: "Better:", "Besser:";
    accuracy_short: "accuracy", "genau";
    relevant_loss_short: "relevant loss", "relev. Verlust";
    position_before: "Position before", "Stellung vor";
    own_evaluations: "Evaluations from the game itself", "Bewertungen aus der Partie selbst";
    a_position: "a position", "je Stellung";
    by_curve: "Expected scores by the curve", "Erwartete Punktzahlen nach der Kurve";
    by_schemes: "symbols by the schemes", "Zeichen nach den Schemata";
    suppressed: "Suppressed symbols:", "Unterdrückte Zeichen:";
    white_to_move: "White to move", "Weiß am Zug";
    black_to_move: "Black to move", "Schwarz am Zug";
    last_move: "Last move:", "Letzter Zug:";
    also_correct: "Also correct:", "Auch richtig:";
    played_then: "Played:", "Gespielt:";
    worksheet: "Worksheet", "Arbeitsblatt";
    worksheet_name: "Name", "Name";
    solutions: "Solutions", "Lösungen";
    print_hint:
        "Print this page, or save it as PDF, with the browser (Ctrl+P, ⌘P).",
        "Drucke diese Seite mit dem Browser, oder speichere sie als PDF (Strg+P, ⌘P).";
    event: "Event", "Turnier";
    date: "Date", "Datum";
    round: "Round", "Runde";
    mv: "Move", "Zug";
    ease_heading: "Ease", "Leichtigkeit";
    phase: "Phase", "Phase";
    opponent: "Opponent", "Gegner";
    mistakes_by_phase: "Mistakes by phase", "Fehler nach Partiephase";
    mistakes_by_opening: "Mistakes by opening", "Fehler nach Eröffnung";
    worst_mistakes: "The costliest mistakes", "Die teuersten Fehler";
    annotated_game: "Annotated game as PGN", "Kommentierte Partie als PGN";
}
