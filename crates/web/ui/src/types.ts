// Short names for the requests and answers of the interface. The build generates schema.ts from the
// description of the interface.
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Eval = Schemas["Eval"];
export type Wdl = Schemas["Wdl"];
export type Problem = Schemas["Problem"];
export type Status = Schemas["StatusDocument"];
export type Job = Schemas["JobDocument"];
export type GameRow = Schemas["GameRow"];
export type Games = Schemas["GamesDocument"];
export type GameFilter = Schemas["GameFilter"];
export type Batch = Schemas["BatchDocument"];
export type Profile = Schemas["ProfileDocument"];
export type Answers = Schemas["AnswersDocument"];
export type ProfileGroup = Schemas["GroupRow"];
export type Moment = Schemas["CostlyMove"];
export type Lesson = Schemas["LessonDocument"];
export type Moves = Schemas["MovesDocument"];
export type Note = Schemas["NoteDocument"];
export type OwnNote = Required<Schemas["OwnNote"]>;
export type NoteMove = Schemas["NoteMove"];
export type Ply = Schemas["PlyDocument"];
export type Player = Schemas["PlayerDocument"];
export type Reviewed = Schemas["GameDocument"];
export type Review = Schemas["ReviewDocument"];
export type Odds = Schemas["OddsDocument"];
export type Point = Schemas["PositionEvent"];
export type Worth = Schemas["WorthDocument"];
export type Why = Schemas["WhyDocument"];
export type Lines = Schemas["LinesDocument"];
export type Found = Schemas["PositionAnswer"];
export type TableAnswer = Schemas["TableAnswer"];
export type Results = Schemas["ResultsRow"];
export type Judge = Schemas["JudgeRequest"];
export type Symbols = Schemas["SymbolsDocument"];
export type Curve = Schemas["CurveDocument"];
export type People = Schemas["PeopleDocument"];
export type EaseMove = Schemas["EaseMoveDocument"];
export type EaseLevel = Schemas["LevelDocument"];
export type Ease = Schemas["EaseAnswer"];
export type Added = Schemas["AddedPuzzles"];
export type PuzzlesWanted = Schemas["PuzzlesRequest"];
export type Puzzles = Schemas["PuzzlesDocument"];
export type Posed = Schemas["PosedPuzzle"];
export type Solution = Schemas["SolutionDocument"];
export type LessonItem = Schemas["LessonItemDocument"];
export type Sitting = Schemas["LessonAnswer"];
export type LessonWanted = Partial<Schemas["LessonRequest"]>;
export type Deleted = Schemas["DeletedDocument"];
export type DeleteWanted = Partial<Schemas["DeleteRequest"]>;
export type Engines = Schemas["EnginesDocument"];

/** `isFirst` marks the first connection. Events before it were not received. */
export type ServerEvent = Schemas["Event"] & { isFirst?: boolean };
