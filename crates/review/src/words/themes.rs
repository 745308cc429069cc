//! The names of themes of puzzles.

use centipawn_puzzle::Theme;

use crate::Language;

impl Language {
    /// Returns the name of a theme: `Discovered attack`, in German `Abzug`.
    pub fn theme(self, theme: Theme) -> &'static str {
        let (english, german) = words(theme);
        self.pick(english, german)
    }
}

/// Returns a theme in English and in German. The page's tables of names are generated from these.
fn words(theme: Theme) -> (&'static str, &'static str) {
    match theme {
        Theme::AdvancedPawn => ("Advanced pawn", "Weit vorgerückter Bauer"),
        Theme::Advantage => ("Advantage", "Vorteil"),
        Theme::AnastasiaMate => ("Anastasia’s mate", "Matt der Anastasia"),
        Theme::ArabianMate => ("Arabian mate", "Arabisches Matt"),
        Theme::AttackingF2F7 => ("Attack on f2 or f7", "Angriff auf f2 oder f7"),
        Theme::Attraction => ("Attraction", "Hinlenkung"),
        Theme::BackRankMate => ("Back rank mate", "Grundreihenmatt"),
        Theme::BalestraMate => ("Balestra mate", "Balestra-Matt"),
        Theme::BishopEndgame => ("Bishop endgame", "Läuferendspiel"),
        Theme::BlindSwineMate => ("Blind swine mate", "Matt der blinden Schweine"),
        Theme::BodenMate => ("Boden’s mate", "Bodens Matt"),
        Theme::CapturingDefender => ("Capture of the defender", "Schlagen des Verteidigers"),
        Theme::Castling => ("Castling", "Rochade"),
        Theme::Clearance => ("Clearance", "Räumung"),
        Theme::Collinear => ("Collinear move", "Zug auf der Wirkungslinie"),
        Theme::CornerMate => ("Corner mate", "Eckmatt"),
        Theme::Crushing => ("Decisive advantage", "Entscheidender Vorteil"),
        Theme::DefensiveMove => ("Defensive move", "Verteidigung"),
        Theme::Deflection => ("Deflection", "Ablenkung"),
        Theme::DiscoveredAttack => ("Discovered attack", "Abzug"),
        Theme::DiscoveredCheck => ("Discovered check", "Abzugsschach"),
        Theme::DoubleBishopMate => ("Mate by two bishops", "Matt mit zwei Läufern"),
        Theme::DoubleCheck => ("Double check", "Doppelschach"),
        Theme::DovetailMate => ("Dovetail mate", "Schwalbenschwanzmatt der Dame"),
        Theme::EnPassant => ("En passant", "En passant"),
        Theme::Endgame => ("Endgame", "Endspiel"),
        Theme::EpauletteMate => ("Epaulette mate", "Epaulettenmatt"),
        Theme::Equality => ("Equality", "Ausgleich"),
        Theme::ExposedKing => ("Exposed king", "Offener König"),
        Theme::Fork => ("Fork", "Gabel"),
        Theme::HangingPiece => ("Hanging piece", "Hängende Figur"),
        Theme::HookMate => ("Hook mate", "Hakenmatt"),
        Theme::Interference => ("Interference", "Verstellung"),
        Theme::Intermezzo => ("Intermezzo", "Zwischenzug"),
        Theme::KillBoxMate => ("Kill box mate", "Kastenmatt"),
        Theme::KingsideAttack => ("Attack on the kingside", "Angriff am Königsflügel"),
        Theme::KnightEndgame => ("Knight endgame", "Springerendspiel"),
        Theme::Long => ("Three moves", "Drei Züge"),
        Theme::Master => ("From a master’s game", "Aus einer Meisterpartie"),
        Theme::MasterVsMaster => (
            "From a game between masters",
            "Aus einer Partie zweier Meister",
        ),
        Theme::Mate => ("Mate", "Matt"),
        Theme::MateIn1 => ("Mate in 1", "Matt in 1"),
        Theme::MateIn2 => ("Mate in 2", "Matt in 2"),
        Theme::MateIn3 => ("Mate in 3", "Matt in 3"),
        Theme::MateIn4 => ("Mate in 4", "Matt in 4"),
        Theme::MateIn5 => ("Mate in 5 or more", "Matt in 5 oder mehr"),
        Theme::Middlegame => ("Middlegame", "Mittelspiel"),
        Theme::MorphysMate => ("Morphy’s mate", "Morphys Matt"),
        Theme::OneMove => ("One move", "Ein Zug"),
        Theme::Opening => ("Opening", "Eröffnung"),
        Theme::OperaMate => ("Opera mate", "Opernmatt"),
        Theme::PawnEndgame => ("Pawn endgame", "Bauernendspiel"),
        Theme::PillsburysMate => ("Pillsbury’s mate", "Pillsburys Matt"),
        Theme::Pin => ("Pin", "Fesselung"),
        Theme::Promotion => ("Promotion", "Umwandlung"),
        Theme::QueenEndgame => ("Queen endgame", "Damenendspiel"),
        Theme::QueenRookEndgame => ("Queen and rook endgame", "Endspiel mit Damen und Türmen"),
        Theme::QueensideAttack => ("Attack on the queenside", "Angriff am Damenflügel"),
        Theme::QuietMove => ("Quiet move", "Stiller Zug"),
        Theme::RookEndgame => ("Rook endgame", "Turmendspiel"),
        Theme::Sacrifice => ("Sacrifice", "Opfer"),
        Theme::Short => ("Two moves", "Zwei Züge"),
        Theme::Skewer => ("Skewer", "Spieß"),
        Theme::SmotheredMate => ("Smothered mate", "Ersticktes Matt"),
        Theme::SuperGm => (
            "From a game of the elite",
            "Aus einer Partie der Weltspitze",
        ),
        Theme::SwallowstailMate => ("Swallow’s tail mate", "Schwalbenschwanzmatt"),
        Theme::TrappedPiece => ("Trapped piece", "Gefangene Figur"),
        Theme::TriangleMate => ("Triangle mate", "Dreiecksmatt"),
        Theme::UnderPromotion => ("Underpromotion", "Unterverwandlung"),
        Theme::VeryLong => ("Four moves or more", "Vier Züge oder mehr"),
        Theme::VukovicMate => ("Vuković’s mate", "Vukovićs Matt"),
        Theme::XRayAttack => ("X-ray attack", "Röntgenangriff"),
        Theme::Zugzwang => ("Zugzwang", "Zugzwang"),
    }
}
