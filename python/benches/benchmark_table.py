"""Evaluates players on a benchmark: python benchmark_table.py 7x6-v1 [PLAYER ...].

The database of the board is built in or in $FOURBASE_DB.
"""

import math
import random
import sys
import time

import fourbase

PLAYERS = ["random", "one-ply", "rating:1", *(f"window:{depth}" for depth in (2, 4))]
PLAYERS += [*(f"pomakis:{level}" for level in (1, 2, 4, 6)), "mcts:100", "mcts:1000"]
PLAYERS += [f"level:{level}" for level in range(1, 6)]


def one_ply(position):
    """Complete a line, else block one, else play at random."""
    columns = position.legal_moves
    wins = [column for column in columns if position.play(column).primitive == "lose"]
    first, second = position.bitboards
    blocks = []
    for column in columns:
        # The other player's piece where this one would land, as if it were that player's turn.
        landed = sum(position.play(column).bitboards) ^ (first | second)
        theirs = (second if position.to_move == "first" else first) | landed
        if has_line(theirs, position):
            blocks.append(column)
    return random.choice(wins or blocks or columns)


def has_line(pieces, position):
    """Return whether these pieces have four in a row."""
    width, height = position.width, position.height
    board = [[pieces >> (column * height + row) & 1 for row in range(height)] for column in range(width)]
    return any(
        all(
            0 <= column + k * right < width and 0 <= row + k * up < height and board[column + k * right][row + k * up]
            for k in range(4)
        )
        for column in range(width)
        for row in range(height)
        for right, up in ((1, 0), (0, 1), (1, 1), (1, -1))
    )


class Node:
    """A position of the tree: its children, visits, and the points of the player who moved into it."""

    def __init__(self, position):
        self.position, self.children, self.visits, self.points = position, {}, 0, 0.0
        self.untried = [] if position.primitive else position.legal_moves


def mcts(playouts):
    """Plain Monte Carlo tree search: UCT with the constant sqrt(2) and random playouts."""

    def play(root_position):
        root = Node(root_position)
        for _ in range(playouts):
            node, path = root, [root]
            while not node.untried and node.children:
                log = math.log(node.visits)
                node = max(
                    node.children.values(), key=lambda of: of.points / of.visits + math.sqrt(2 * log / of.visits)
                )
                path.append(node)
            if node.untried:
                column = node.untried.pop(random.randrange(len(node.untried)))
                node.children[column] = Node(node.position.play(column))
                node = node.children[column]
                path.append(node)
            position, plies = node.position, 0
            while not position.primitive:
                position, plies = position.play(random.choice(position.legal_moves)), plies + 1
            # The end is a loss for the player to move there, or a tie.
            points = 0.5 if position.primitive == "tie" else 1.0 if plies % 2 == 0 else 0.0
            for of in reversed(path):
                of.visits += 1
                of.points += points
                points = 1 - points
        return max(root.children, key=lambda column: root.children[column].visits)

    return play


def main(name, *players):
    """Print a line for each player."""
    bench = fourbase.benchmark(name)
    db = fourbase.Database(bench.board)
    print(f"{name} {bench.hash} {len(bench.positions):,} positions")
    for player in players or PLAYERS:
        random.seed(1)
        kind, _, number = player.partition(":")
        agents = {"one-ply": lambda _: one_ply, "mcts": lambda of: mcts(int(of))}
        agent = agents[kind](number) if kind in agents else db.player(player, seed=1)
        is_drawn = kind in ("random", "one-ply", "rating", "level")
        begun = time.process_time()
        result = fourbase.evaluate(agent, bench, repeats=5 if is_drawn else 1)
        took = time.process_time() - begun
        of = {name: result[name].mean for name in ("keeps", "best", "resists", "regret")}
        interval = f"{result['keeps'].low:.3f}-{result['keeps'].high:.3f}"
        shares = f"{of['keeps']:.3f} ({interval}) | {of['best']:.3f} | {of['resists']:.3f} | {of['regret']:.2f}"
        print(f"| `{player}` | {shares} | {took:.0f} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
