// Themes of puzzles in words.
import { themes as words } from "../names/themes";
import { language, nameIn } from "../words";

/** The name of a theme in the page's language; an unknown one keeps the name it has in files. */
export const themeWord = (theme: string): string => nameIn(words, theme) ?? theme;

/** The themes of `counts` in words, ordered by them. */
export const themes = (counts: ReadonlyMap<string, number>): [theme: string, word: string][] =>
  [...counts.keys()]
    .map((theme): [string, string] => [theme, themeWord(theme)])
    .sort(([, a], [, b]) => a.localeCompare(b, language.value));
