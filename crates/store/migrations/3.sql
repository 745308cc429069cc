-- Puzzles to solve. `key`: the Zobrist key of the position shown; `origin`: where it is from, for people; `document`: the puzzle as
-- JSON. `game` and `ply`: the game of the store that it is from, and the half-moves before the solver's mistake.
-- `box_number`, `due`: repetition, src/puzzles.rs; NULL unless the user asked for it. `due`: seconds since 1970.
CREATE TABLE puzzle (
    id {id},
    key BIGINT NOT NULL UNIQUE,
    origin TEXT NOT NULL,
    rating BIGINT,
    themes TEXT NOT NULL,
    game BIGINT REFERENCES game (id),
    ply BIGINT,
    document TEXT NOT NULL,
    box_number BIGINT,
    due BIGINT
);

-- How the user solved a puzzle. `tried_at`: seconds since 1970.
CREATE TABLE attempt (
    id {id},
    puzzle BIGINT NOT NULL REFERENCES puzzle (id),
    tried_at BIGINT NOT NULL,
    mistakes BIGINT NOT NULL,
    hints BIGINT NOT NULL
);
