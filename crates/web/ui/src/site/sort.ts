// Sorts a table of the page when the user clicks the name of a column.

/**
 * The value by which a cell is sorted: its `data-value` as a number, or its text. Empty for an
 * empty cell.
 */
const valueOf = ({ dataset, textContent }: HTMLTableCellElement): number | string =>
  dataset.value === undefined ? (textContent ?? "").trim() : Number(dataset.value);

/** Empty cells come last in both directions. */
function compare(a: number | string, b: number | string, sign: number): number {
  if (a === "" || b === "") return Number(a === "") - Number(b === "");
  return sign * (typeof a === "number" ? a - Number(b) : a.localeCompare(String(b)));
}

function sortable(table: HTMLTableElement): void {
  const headings = [...(table.tHead?.rows[0]?.cells ?? [])];
  const body = table.tBodies[0];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const isText = heading.classList.contains("text");
      const [first, other] = isText ? ["ascending", "descending"] : ["descending", "ascending"];
      const direction = heading.getAttribute("aria-sort") === first ? other! : first!;
      for (const each of headings) each.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", direction);
      const sign = direction === "ascending" ? 1 : -1;
      const rows = [...(body?.rows ?? [])];
      rows.sort((a, b) => compare(valueOf(a.cells[column]!), valueOf(b.cells[column]!), sign));
      body?.append(...rows);
    });
  });
}

/** Makes all tables of games on the page sortable. */
export const sortTables = (): void => document.querySelectorAll<HTMLTableElement>("table.listing").forEach(sortable);
