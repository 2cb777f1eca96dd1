// Returns what the page shows: texts as they are rendered, and attributes. tests/support/shown.rs reads it.
const $ = (id) => document.getElementById(id);
const text = (element) => (element?.checkVisibility() ? element.innerText.trim() : "");
const number = (value) => (value === undefined || value === "" ? null : Number(value));
const { ready, thinking, over, ply } = document.body.dataset;
const focus = document.activeElement;
const pieces = (button) => [...button.querySelectorAll(".cell")].reverse()
  .map((cell) => (cell.classList.contains("first") ? "1" : cell.classList.contains("second") ? "2" : "")).join("");
return {
  settled: ready === "true" && thinking === "false",
  thinking: thinking === "true",
  over: over === "true",
  ply: Number(ply),
  board: $("board-select").value,
  moves: $("export-moves").value,
  link: $("export-link").value,
  picture: $("export-svg").value,
  address: location.href,
  status: text($("status")),
  error: text($("error")),
  can_retry: $("retry").checkVisibility(),
  can_redo: $("redo").getAttribute("aria-disabled") === "false",
  can_go_on: $("go-on").checkVisibility(),
  line_note: text($("line-note")),
  focus: focus.dataset.column ? `column ${focus.dataset.column}` : focus.id,
  window_width: window.innerWidth,
  content_width: document.documentElement.scrollWidth,
  columns: [...document.querySelectorAll("#board button.column")].map((button) => ({
    column: Number(button.dataset.column),
    pieces: pieces(button),
    value: button.dataset.value ?? null,
    remoteness: number(button.dataset.remoteness),
    text: text(button.querySelector(".value")),
    name: button.querySelector(".hidden").textContent,
    left: button.getBoundingClientRect().left,
    width: button.getBoundingClientRect().width,
  })),
  lines: [...document.querySelectorAll("#board line.over")].map((line) => (
    ["x1", "y1", "x2", "y2"].map((name) => Number(line.getAttribute(name)))
  )),
  plies: [...document.querySelectorAll("#history button")].map((button) => ({
    value: button.dataset.value ?? null,
    remoteness: number(button.dataset.remoteness),
    mistake: button.dataset.mistake ?? "",
    move: text(button.querySelector(".move")),
    worth: text(button.querySelector(".worth")),
    is_current: button.getAttribute("aria-current") === "step",
    is_later: button.classList.contains("later"),
  })),
};
