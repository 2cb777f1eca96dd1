# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # How good is a learned player?
#
# Scikit-learn's gradient boosting learns from 100,000 labelled positions of 5x4, plays the move that it values
# most, and is graded on every legal position of the board. This file is a notebook:
#
#     pip install '../[examples]' jupyterlab
#     jupytext --to notebook grade_a_learner.py
#     jupyter lab grade_a_learner.ipynb
#
# ## All answers of the board
#
# To solve 5x4 takes a tenth of a second. The answers go into the folder `$FOURBASE_DB`, or else `db`.

# %%
import fourbase
import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

db = fourbase.solve("5x4", progress=False)
db

# %% [markdown]
# ## Labelled positions
#
# Positions are drawn at random, every legal one with the same chance; finished games are left out. `move_values` gives
# what each of their moves is worth to the player who makes it: 1 for a win, 0 for a tie, -1 for a loss. So 36,000
# positions with all their moves are 100,000 labelled ones, among them games that the move finishes.

# %%
drawn = db.sample(36_000, seed=1)
table = db.move_values(drawn.positions)
print(f"{len(drawn.positions):,} positions, {table.legal.sum():,} moves")
for name, value in [("win", fourbase.WIN), ("tie", fourbase.TIE), ("lose", fourbase.LOSE)]:
    print(f"{name:>5} {np.mean(table.values[table.legal] == value):.1%}")

# %% [markdown]
# One of the positions, as a notebook draws it, and its moves, best first:

# %%
position = fourbase.encode(drawn.positions[:1], "positions", board="5x4")[0]
position

# %%
db.moves(position)

# %% [markdown]
# ## What the learner sees
#
# The cells after the move, as the mover sees them: 1 for a piece of the mover, -1 for the other player's, 0 for an
# empty cell. PettingZoo's layout has the pieces of the player to move in plane 0, and the top row first.


# %%
def cells(observations):
    """Return (n, rows, columns): 1 for the player to move, -1 for the other."""
    return observations[..., 0] - observations[..., 1]


def after(boards, column):
    """Drop a piece into a column of every board where it is not full. Return the boards, and where it is not."""
    empty = (boards[:, :, column] == 0).sum(axis=1)
    legal = empty > 0
    dropped = boards.copy()
    dropped[legal, empty[legal] - 1, column] = 1
    return dropped, legal


boards = cells(fourbase.encode(drawn.positions, "pettingzoo", board="5x4"))
inputs, labels = [], []
for column in range(5):
    dropped, legal = after(boards, column)
    assert (legal == table.legal[:, column]).all()
    inputs.append(dropped[legal].reshape(-1, 20))
    labels.append(table.values[legal, column])

model = HistGradientBoostingRegressor(max_iter=100, learning_rate=0.2, max_leaf_nodes=63, early_stopping=False)
model.fit(np.concatenate(inputs), np.concatenate(labels))
print(f"R² of what it has seen: {model.score(np.concatenate(inputs), np.concatenate(labels)):.2f}")

# %% [markdown]
# ## The player
#
# It takes a batch of positions and returns a column for each, that of the move that the model values most. Columns
# count from 1.


# %%
def player(observations):
    """Return the column of each position whose move the model values most."""
    boards = cells(observations)
    worth = np.full((len(boards), 5), -np.inf)
    for column in range(5):
        dropped, legal = after(boards, column)
        if legal.any():
            worth[legal, column] = model.predict(dropped[legal].reshape(-1, 20))
    return worth.argmax(axis=1) + 1


# %% [markdown]
# ## Its grade
#
# `grade` asks the player in every legal position where the choice matters: not all moves have the same value. A move
# *keeps* the value if it gives nothing away; the *best* move also wins soonest or loses latest. *Chance* is what a
# player keeps who plays at random.

# %%
result = fourbase.grade(player, db, batch=True, encoding="pettingzoo")
print(result)

# %% [markdown]
# The worst blunder turns the nearest win into the quickest loss:

# %%
worst = result.worst
print(f"played {worst.column}: {worst.played}; best {worst.best_columns}: {worst.best}")
worst.position

# %% [markdown]
# For comparison, a player who always plays as near to the centre as possible:


# %%
def central(observations):
    """Return the free column that is nearest to the centre."""
    free = (observations[:, 0] == 0).all(axis=-1)
    return (free * np.array([1, 3, 5, 4, 2])).argmax(axis=1) + 1


print(fourbase.grade(central, db, batch=True, encoding="pettingzoo"))
