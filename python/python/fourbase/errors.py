"""What can go wrong: every error of fourbase is a `FourbaseError`, and its message says what to do."""


class FourbaseError(Exception):
    """The base of all errors of fourbase."""


class RowError(FourbaseError):
    """The base of errors that may be about a row of a batch.

    ``row`` is the row, counted from 0; ``None`` outside a batch.
    """

    row: int | None

    def __init__(self, message: str, row: int | None = None) -> None:
        super().__init__(message)
        self.row = row


class BoardError(FourbaseError, ValueError):
    """A text is no board, or the board is too large."""


class PositionError(RowError, ValueError):
    """A text or a row is no position of the board."""


class MoveError(FourbaseError, ValueError):
    """A move cannot be played."""


class EncodingError(FourbaseError, ValueError):
    """An encoding is unknown, or an array has the wrong shape or type of numbers for it."""


class ArgumentError(FourbaseError, TypeError):
    """An argument has a wrong type."""


class OptionError(FourbaseError, ValueError):
    """An argument has a value that is not allowed."""


class FileExists(FourbaseError, FileExistsError):
    """A file that would be written exists already."""


class FolderMissing(FourbaseError, FileNotFoundError):
    """The folder of a file that would be written does not exist."""


class SearchLimit(RowError):
    """A search reached its limit of nodes or seconds before it knew the answer."""


class DatabaseError(FourbaseError):
    """A database gives no answer."""


class DatabaseMissing(DatabaseError, FileNotFoundError):
    """The board has no database in the folder, and none is built in."""


class DatabaseUnfinished(DatabaseError):
    """The solve of the database has not reached the position yet."""


class DatabaseDamaged(DatabaseError):
    """A file of the database does not hold the bytes that were written."""


class FileError(DatabaseError, OSError):
    """A file could not be read or written."""


class SolveError(FourbaseError):
    """A solve cannot start or go on."""


class SolveMemory(SolveError, MemoryError):
    """A solve, a list or a sample of positions needs more memory than it may use."""
