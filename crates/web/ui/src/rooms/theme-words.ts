// Themes of puzzles in words.
import { themes as words } from "../names/themes";
import { language, nameIn, wordsOf } from "../words";

/** The theme of puzzles that a person chose. No other program has it. */
const own = wordsOf({ handPicked: ["Chosen by hand", "Von Hand ausgewählt"] });

/** The name of a theme in the page's language; an unknown one keeps the name it has in files. */
export const themeWord = (theme: string): string => (theme === "handPicked" ? own(theme) : (nameIn(words, theme) ?? theme));

/** The themes of `counts` in words, ordered by them. */
export const themes = (counts: ReadonlyMap<string, number>): [theme: string, word: string][] =>
  [...counts.keys()]
    .map((theme): [string, string] => [theme, themeWord(theme)])
    .sort(([, a], [, b]) => a.localeCompare(b, language.value));
