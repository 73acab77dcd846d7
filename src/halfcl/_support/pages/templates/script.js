"use strict";

/* A click on a head of such a table sorts its rows by that column; a second one turns them round. */
for (const table of document.querySelectorAll("table.sortable")) {
  table.querySelectorAll("th").forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => sort(table, head, column));
  });
}

function sort(table, head, column) {
  const turned = head.getAttribute("aria-sort") === "ascending";
  const key = (row) => row.cells[column].dataset.key ?? row.cells[column].textContent;
  const order = (a, b) => {
    const [x, y] = [key(a), key(b)];
    const difference = Number(x) - Number(y);
    return Number.isNaN(difference) ? x.localeCompare(y) : difference;
  };
  const rows = [...table.tBodies[0].rows].sort((a, b) => (turned ? order(b, a) : order(a, b)));
  table.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", turned ? "descending" : "ascending");
  table.tBodies[0].append(...rows);
}

for (const snippet of document.querySelectorAll(".snippet")) {
  const button = snippet.querySelector("button");
  button.addEventListener("click", () => copy(snippet.querySelector("pre"), button));
}

/* By the clipboard, or, in pages that may not use it, by a selection to copy by hand. */
async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = "copied";
  } catch {
    getSelection().selectAllChildren(text);
    button.textContent = "selected";
  }
}
