"""The file of a results store: opened for writing if possible, else for reading.

It is in write-ahead-log mode: several processes can use one file, and one can read while another
writes. If a process is killed, its last games are only in the log ``FILE-wal``, so the log belongs
to the store.

A store that cannot be written (a read-only file system, another user's file, a full disk) can still
be read. Source: the SQLite documentation, "Write-Ahead Logging", "PRAGMA synchronous" and "URI
Filenames".
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import urllib.parse
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn, Self

from ...envs.loading.files import refuse_special_file
from .schema import APPLICATION_ID, FORMAT, differences, make_tables

BUSY_SECONDS = 30.0
# Files that this process has checked, with their stamps when it closed them: a server opens its
# store after every game, and checks it once.
_checked_files: dict[Path, tuple[int, ...] | None] = {}
# an input or output error with less free space than this counts as a full disk
FULL_BYTES = 1 << 20


class StoreError(Exception):
    """The store cannot be opened, read or written; the message says what to do."""


class StoreFile(ABC):
    """The file of a store, usable as a context manager.

    The file is opened or created at its first use; with ``read_only`` nothing is written.

    Raises (all methods):
        StoreError: the path cannot be written, or the file is not a plyground store of this format.
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self.path: Path = Path(path)
        self._file = self.path.absolute()  # an agent may call os.chdir later
        self._opened: sqlite3.Connection | None = None
        # why the store can only be read
        self._unwritable: str | None = "it was opened for reading" if read_only else None
        self._read_only = read_only
        self._checked = False  # whether the contents were checked before the first write
        self._place: tuple[int, int] | None = None  # device and inode
        self._size = 0  # the largest size seen
        self._log = Path(f"{self._file}-wal")

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._opened is None:
            self._opened = self._connect()
            with contextlib.suppress(OSError):
                there = self._file.stat()
                self._place, self._size = (there.st_dev, there.st_ino), there.st_size
        return self._opened

    def check_in_place(self) -> None:
        """StoreError if the file was removed, replaced or truncated since it was opened.

        The contents are saved in a second file if possible.
        """
        if self._opened is None or self._place is None:
            return
        try:
            there = self._file.stat()
        except OSError:
            self._lose("removed or renamed")
        if (there.st_dev, there.st_ino) != self._place:
            self._lose("replaced by another file")
        if there.st_size < self._size:
            self._lose("truncated")
        self._size = there.st_size

    def _lose(self, how: str) -> NoReturn:
        """Save the contents of the lost file, and raise StoreError."""
        copy_path = self._file.with_name(f"{self._file.name}.saved")
        rest = "its contents are lost"
        if self._opened is not None and not copy_path.exists():
            with contextlib.suppress(sqlite3.Error, OSError):
                with contextlib.closing(sqlite3.connect(copy_path)) as copy:
                    self._opened.backup(copy)
                rest = f"its contents were saved in {copy_path}"
        self._place = None
        raise StoreError(f"the store {self.path} was {how} while it was in use; {rest}")

    def check_readable(self) -> None:
        """StoreError if a new connection cannot read the whole store."""
        self.check_in_place()
        if self._opened is None or self._unwritable is not None:
            return
        with (
            self._errors("read again"),
            contextlib.closing(self._connect_reading() or self._connect_writing()) as again,
        ):
            (finding,) = again.execute("PRAGMA quick_check(1)").fetchone()
            if finding != "ok":
                raise StoreError(f"the store {self.path} is damaged: {finding}")
            self._check_tables(again)
            self._compare_with(again)

    def _check_tables(self, connection: sqlite3.Connection) -> None:
        """StoreError if the tables, indexes or triggers differ from the schema."""
        if strange := differences(connection):
            raise StoreError(
                f"the schema of the store {self.path} was changed: {strange[0]}; plyground verify "
                f"lists all changes; choose another file with --store FILE"
            )

    @abstractmethod
    def _check_contents(self) -> None:
        """Check the contents before the first write; StoreError if they are damaged."""

    @abstractmethod
    def _compare_with(self, again: sqlite3.Connection) -> None:
        """StoreError if another connection does not see the latest writes."""

    def _connect(self) -> sqlite3.Connection:
        self._check_place()
        with self._errors("opened"):
            if self._read_only:
                connection = self._connect_reading()
                if connection is None:
                    raise StoreError(
                        f"the store {self.path} cannot be read: it is empty or this user lacks "
                        f"permission"
                    )
                return connection
            try:
                return self._connect_writing()
            except sqlite3.OperationalError as error:
                connection = self._connect_reading()
                if connection is None:
                    raise
                self._unwritable = self._explanation(error)
                return connection

    def _check_place(self) -> None:
        """StoreError if the path cannot be a store."""
        try:
            if self._file.is_dir():
                raise StoreError(f"{self.path} is a folder; a store is a file")
            refuse_special_file(self._file)
        except OSError as error:
            raise StoreError(
                f"{str(self.path)[:200]} cannot be a store: {error.strerror}"
            ) from None
        if not self._file.parent.is_dir():
            raise StoreError(f"the folder {self._file.parent} for the store does not exist")

    def _connect_writing(self) -> sqlite3.Connection:
        """Open the file, or create it."""
        connection = sqlite3.connect(self._file, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            with transaction(connection, "DEFERRED"):  # one consistent read
                is_empty = self._is_empty(connection)
            if is_empty:
                with transaction(connection):
                    if self._is_empty(connection):  # another process may have created it
                        make_tables(connection)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect_reading(self) -> sqlite3.Connection | None:
        """Open the file for reading; None if that fails too."""
        if not self._file.is_file() or not self._file.stat().st_size:
            return None
        # In write-ahead-log mode SQLite creates a lock file and leaves it there, unless the file is
        # declared immutable.
        immutable = () if self._log.exists() and self._log.stat().st_size else ("immutable=1",)
        for options in (*immutable, "mode=ro"):
            connection = sqlite3.connect(
                f"file:{urllib.parse.quote(str(self._file))}?{options}",
                uri=True,
                isolation_level=None,
            )
            try:
                if not self._is_empty(connection):
                    return connection
            except sqlite3.OperationalError:
                pass
            except BaseException:
                connection.close()
                raise
            connection.close()
        return None

    def _is_empty(self, connection: sqlite3.Connection) -> bool:
        """Whether the file has no tables yet.

        StoreError if it is a store of another format, or a file of another program.
        """
        application, version, tables = (
            connection.execute(query).fetchone()[0]
            for query in (
                "PRAGMA application_id",
                "PRAGMA user_version",
                "SELECT count(*) FROM sqlite_schema",
            )
        )
        if application == APPLICATION_ID and version != FORMAT:
            raise StoreError(
                f"{self.path} is a store of format {version}, this plyground reads format "
                f"{FORMAT}; choose another file with --store FILE"
            )
        if application != APPLICATION_ID and tables:
            raise StoreError(
                f"{self.path} is an SQLite file of another program; choose another file with "
                f"--store FILE"
            )
        return bool(application != APPLICATION_ID)

    def open(self) -> Self:
        """Open or create the file now; returns this store."""
        assert self._connection
        return self

    def close(self) -> None:
        """Close the file."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None
            if self._checked:
                _checked_files[self._file] = self._stamp()

    def _stamp(self) -> tuple[int, ...] | None:
        """A value that changes with the file; None if there is a log or no file."""
        with contextlib.suppress(OSError):
            if not self._log.exists() or not self._log.stat().st_size:
                there = self._file.stat()
                return there.st_dev, there.st_ino, there.st_size, there.st_mtime_ns
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _errors(self, action: str) -> Iterator[None]:
        """Turn SQLite errors into a StoreError that names the file."""
        try:
            yield
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorname", "") == "SQLITE_NOTADB":
                if self._opened is not None:
                    self._lose("damaged")
                raise StoreError(
                    f"{self.path} is not a plyground store; choose another file with --store FILE"
                ) from None
            raise StoreError(
                f"the store {self.path} cannot be {action}: {self._explanation(error)}"
            ) from error
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            if action != "read":
                raise
            raise StoreError(
                f"the store {self.path} holds invalid data: {' '.join(str(error).split())[:200]}"
            ) from None

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """The connection, for a body that writes; StoreError if the store can only be read."""
        connection = self._connection
        if self._unwritable is not None:
            raise StoreError(f"the store {self.path} cannot be written: {self._unwritable}")
        with self._errors("written"):
            if not self._checked:
                stamp = self._stamp()
                if stamp is None or stamp != _checked_files.get(self._file):
                    self._check_contents()
                self._checked = True
            yield connection

    def _explanation(self, error: sqlite3.Error) -> str:
        """An SQLite error in words, with advice."""
        name = getattr(error, "sqlite_errorname", "")
        with contextlib.suppress(OSError):
            no_space = (
                name.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN"))
                and shutil.disk_usage(self._file.parent).free < FULL_BYTES
            )
            if name == "SQLITE_FULL" or no_space:
                return (
                    f"the disk is full ({error}); all games counted so far are stored; free some "
                    f"space and repeat the command to continue"
                )
        if name.startswith("SQLITE_READONLY"):
            return f"it is read-only ({error})"
        return str(error)


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    """A transaction around the body, rolled back if the body raises.

    IMMEDIATE keeps other writers out; DEFERRED reads one state of the file.
    """
    connection.execute(f"BEGIN {kind}")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # if the disk is full, SQLite has rolled back
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
