// What the tests compare with: a search that shares no code with the package, and published scores. It runs in node and in a page.

const WIDTH = 4;
const HEIGHT = 4;
const CELLS = WIDTH * HEIGHT;

/** The cells of every line of four on 4x4: cell = 4 * column + row. */
const LINES = [];
for (let column = 0; column < WIDTH; column += 1) {
  for (let row = 0; row < HEIGHT; row += 1) {
    for (const [right, up] of [[1, 0], [0, 1], [1, 1], [1, -1]]) {
      const [last, top] = [column + 3 * right, row + 3 * up];
      if (last >= WIDTH || top < 0 || top >= HEIGHT) continue;
      LINES.push([0, 1, 2, 3].reduce((mask, step) => mask | (1 << (HEIGHT * (column + step * right) + row + step * up)), 0));
    }
  }
}

/** Every unfinished position of 4x4 that a game reaches, with its moves, value and remoteness, and those of each move. */
export function everyPosition() {
  const found = new Map();
  const solve = (mine, theirs, moves) => {
    // The player who has just moved has a line: the player to move has lost.
    if (LINES.some((line) => (theirs & line) === line)) return { value: "lose", remoteness: 0 };
    if (moves.length === CELLS) return { value: "tie", remoteness: 0 };
    const key = mine * 65536 + theirs;
    const known = found.get(key);
    if (known) return known;
    const children = [];
    for (let column = 0; column < WIDTH; column += 1) {
      let row = 0;
      while (row < HEIGHT && ((mine | theirs) >> (HEIGHT * column + row)) & 1) row += 1;
      if (row === HEIGHT) continue;
      const next = solve(theirs, mine | (1 << (HEIGHT * column + row)), moves + String(column + 1));
      const value = { win: "lose", tie: "tie", lose: "win" }[next.value];
      children.push({ column: column + 1, value, remoteness: next.remoteness + 1 });
    }
    // A win as soon, a loss as late as possible; equal moves from the left.
    const order = ({ value, remoteness }) => ({ win: remoteness, tie: 100, lose: 1000 - remoteness })[value];
    children.sort((one, other) => order(one) - order(other) || one.column - other.column);
    const { value, remoteness } = children[0];
    const position = { moves, value, remoteness, children };
    found.set(key, position);
    return position;
  };
  solve(0, 0, "");
  return [...found.values()];
}

/** Reads a score of Pons' sets: a win is 22 minus the stones of the winner at the end. */
export function ofScore(moves, score) {
  if (score === 0) return { value: "tie", remoteness: 42 - moves.length };
  const stones = 22 - Math.abs(score);
  // The winner is the player to move, or the other one.
  const winner = score > 0 ? moves.length % 2 : (moves.length + 1) % 2;
  return { value: score > 0 ? "win" : "lose", remoteness: 2 * stones - 1 + winner - moves.length };
}
