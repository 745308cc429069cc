// Sorts the tables of the page by a click on a column's name.
"use strict";

/** What a cell is sorted by: a number where it has one, else its text; nothing where it is empty. */
const valueOf = ({ dataset, textContent }) => (dataset.value === undefined ? textContent.trim() : Number(dataset.value));

function compare(a, b) {
  // Empty cells come last, whatever the direction.
  if (a === "" || b === "") return { empty: (a === "") - (b === "") };
  return { order: typeof a === "number" ? a - b : a.localeCompare(b) };
}

for (const table of document.querySelectorAll("table.listing")) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const isText = heading.classList.contains("text");
      const first = isText ? "ascending" : "descending";
      const other = isText ? "descending" : "ascending";
      const direction = heading.getAttribute("aria-sort") === first ? other : first;
      for (const each of headings) each.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", direction);
      const sign = direction === "ascending" ? 1 : -1;
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => {
        const { empty = 0, order = 0 } = compare(valueOf(a.cells[column]), valueOf(b.cells[column]));
        return empty || sign * order;
      });
      table.tBodies[0].append(...rows);
    });
  });
}
