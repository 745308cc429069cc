// Generated from the words of centipawn-review; UPDATE_LABELS=1 in the tests writes it.
export type Theme =
  | "advancedPawn"
  | "advantage"
  | "anastasiaMate"
  | "arabianMate"
  | "attackingF2F7"
  | "attraction"
  | "backRankMate"
  | "balestraMate"
  | "bishopEndgame"
  | "blindSwineMate"
  | "bodenMate"
  | "capturingDefender"
  | "castling"
  | "clearance"
  | "collinear"
  | "cornerMate"
  | "crushing"
  | "defensiveMove"
  | "deflection"
  | "discoveredAttack"
  | "discoveredCheck"
  | "doubleBishopMate"
  | "doubleCheck"
  | "dovetailMate"
  | "enPassant"
  | "endgame"
  | "epauletteMate"
  | "equality"
  | "exposedKing"
  | "fork"
  | "hangingPiece"
  | "hookMate"
  | "interference"
  | "intermezzo"
  | "killBoxMate"
  | "kingsideAttack"
  | "knightEndgame"
  | "long"
  | "master"
  | "masterVsMaster"
  | "mate"
  | "mateIn1"
  | "mateIn2"
  | "mateIn3"
  | "mateIn4"
  | "mateIn5"
  | "middlegame"
  | "morphysMate"
  | "oneMove"
  | "opening"
  | "operaMate"
  | "pawnEndgame"
  | "pillsburysMate"
  | "pin"
  | "promotion"
  | "queenEndgame"
  | "queenRookEndgame"
  | "queensideAttack"
  | "quietMove"
  | "rookEndgame"
  | "sacrifice"
  | "short"
  | "skewer"
  | "smotheredMate"
  | "superGM"
  | "swallowstailMate"
  | "trappedPiece"
  | "triangleMate"
  | "underPromotion"
  | "veryLong"
  | "vukovicMate"
  | "xRayAttack"
  | "zugzwang";

/** English, German. */
export const themes: Record<Theme, [english: string, german: string]> = {
  "advancedPawn": ["Advanced pawn", "Weit vorgerückter Bauer"],
  "advantage": ["Advantage", "Vorteil"],
  "anastasiaMate": ["Anastasia’s mate", "Matt der Anastasia"],
  "arabianMate": ["Arabian mate", "Arabisches Matt"],
  "attackingF2F7": ["Attack on f2 or f7", "Angriff auf f2 oder f7"],
  "attraction": ["Attraction", "Hinlenkung"],
  "backRankMate": ["Back rank mate", "Grundreihenmatt"],
  "balestraMate": ["Balestra mate", "Balestra-Matt"],
  "bishopEndgame": ["Bishop endgame", "Läuferendspiel"],
  "blindSwineMate": ["Blind swine mate", "Matt der blinden Schweine"],
  "bodenMate": ["Boden’s mate", "Bodens Matt"],
  "capturingDefender": ["Capture of the defender", "Schlagen des Verteidigers"],
  "castling": ["Castling", "Rochade"],
  "clearance": ["Clearance", "Räumung"],
  "collinear": ["Collinear move", "Zug auf der Wirkungslinie"],
  "cornerMate": ["Corner mate", "Eckmatt"],
  "crushing": ["Decisive advantage", "Entscheidender Vorteil"],
  "defensiveMove": ["Defensive move", "Verteidigung"],
  "deflection": ["Deflection", "Ablenkung"],
  "discoveredAttack": ["Discovered attack", "Abzug"],
  "discoveredCheck": ["Discovered check", "Abzugsschach"],
  "doubleBishopMate": ["Mate by two bishops", "Matt mit zwei Läufern"],
  "doubleCheck": ["Double check", "Doppelschach"],
  "dovetailMate": ["Dovetail mate", "Schwalbenschwanzmatt der Dame"],
  "enPassant": ["En passant", "En passant"],
  "endgame": ["Endgame", "Endspiel"],
  "epauletteMate": ["Epaulette mate", "Epaulettenmatt"],
  "equality": ["Equality", "Ausgleich"],
  "exposedKing": ["Exposed king", "Offener König"],
  "fork": ["Fork", "Gabel"],
  "hangingPiece": ["Hanging piece", "Hängende Figur"],
  "hookMate": ["Hook mate", "Hakenmatt"],
  "interference": ["Interference", "Verstellung"],
  "intermezzo": ["Intermezzo", "Zwischenzug"],
  "killBoxMate": ["Kill box mate", "Kastenmatt"],
  "kingsideAttack": ["Attack on the kingside", "Angriff am Königsflügel"],
  "knightEndgame": ["Knight endgame", "Springerendspiel"],
  "long": ["Three moves", "Drei Züge"],
  "master": ["From a master’s game", "Aus einer Meisterpartie"],
  "masterVsMaster": ["From a game between masters", "Aus einer Partie zweier Meister"],
  "mate": ["Mate", "Matt"],
  "mateIn1": ["Mate in 1", "Matt in 1"],
  "mateIn2": ["Mate in 2", "Matt in 2"],
  "mateIn3": ["Mate in 3", "Matt in 3"],
  "mateIn4": ["Mate in 4", "Matt in 4"],
  "mateIn5": ["Mate in 5 or more", "Matt in 5 oder mehr"],
  "middlegame": ["Middlegame", "Mittelspiel"],
  "morphysMate": ["Morphy’s mate", "Morphys Matt"],
  "oneMove": ["One move", "Ein Zug"],
  "opening": ["Opening", "Eröffnung"],
  "operaMate": ["Opera mate", "Opernmatt"],
  "pawnEndgame": ["Pawn endgame", "Bauernendspiel"],
  "pillsburysMate": ["Pillsbury’s mate", "Pillsburys Matt"],
  "pin": ["Pin", "Fesselung"],
  "promotion": ["Promotion", "Umwandlung"],
  "queenEndgame": ["Queen endgame", "Damenendspiel"],
  "queenRookEndgame": ["Queen and rook endgame", "Endspiel mit Damen und Türmen"],
  "queensideAttack": ["Attack on the queenside", "Angriff am Damenflügel"],
  "quietMove": ["Quiet move", "Stiller Zug"],
  "rookEndgame": ["Rook endgame", "Turmendspiel"],
  "sacrifice": ["Sacrifice", "Opfer"],
  "short": ["Two moves", "Zwei Züge"],
  "skewer": ["Skewer", "Spieß"],
  "smotheredMate": ["Smothered mate", "Ersticktes Matt"],
  "superGM": ["From a game of the elite", "Aus einer Partie der Weltspitze"],
  "swallowstailMate": ["Swallow’s tail mate", "Schwalbenschwanzmatt"],
  "trappedPiece": ["Trapped piece", "Gefangene Figur"],
  "triangleMate": ["Triangle mate", "Dreiecksmatt"],
  "underPromotion": ["Underpromotion", "Unterverwandlung"],
  "veryLong": ["Four moves or more", "Vier Züge oder mehr"],
  "vukovicMate": ["Vuković’s mate", "Vukovićs Matt"],
  "xRayAttack": ["X-ray attack", "Röntgenangriff"],
  "zugzwang": ["Zugzwang", "Zugzwang"],
};
