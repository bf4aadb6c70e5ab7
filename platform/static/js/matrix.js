// The matrix by keyboard: Tab goes to one cell of the table, arrow keys from there to the next cell that leads anywhere.

const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

const table = document.querySelector(".matrix");
const links = [...table.rows].map((row) => [...row.cells].map((cell) => (cell.matches("td") ? cell.querySelector("a") : null)));
const all = links.flat().filter(Boolean);
let here = all[0];

all.forEach((link, index) => {
  link.tabIndex = index ? -1 : 0;
});

table.addEventListener("focusin", ({ target }) => {
  if (!all.includes(target)) return;
  here.tabIndex = -1;
  here = target;
  here.tabIndex = 0;
});

table.addEventListener("keydown", (event) => {
  const [down, right] = MOVES[event.key] ?? [0, 0];
  if (event.target !== here || !(down || right) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const cell = here.closest("td");
  let row = cell.parentElement.rowIndex;
  let column = cell.cellIndex;
  do {
    row += down;
    column += right;
  } while (links[row] && column in links[row] && !links[row][column]);
  links[row]?.[column]?.focus();
});
