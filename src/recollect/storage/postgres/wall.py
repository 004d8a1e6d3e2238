"""The second wall between users: every transaction tells the server for whom it works.

The first wall is the user in every query. Behind the second the server itself neither shows nor changes anybody else's
rows, whatever a query asks (see 0011_walls.sql). What is about the store as a whole asks for `_everybody()`; everything
else names its user. The settings end with the transaction, so a connection never carries them on to somebody else.
"""

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from recollect.model.memories import Scope
from recollect.storage.postgres.connection import Connection
from recollect.storage.postgres.rows import QUERIES


def for_user(connection: Connection, scope: Scope) -> None:
    """Let what follows in this transaction see and change one user's rows."""
    connection.execute(QUERIES["work_for_user"].encode(), {"user_id": scope.user_id})


def for_everybody(connection: Connection) -> None:
    """Let what follows in this transaction see and change everything."""
    connection.execute(QUERIES["work_for_store"].encode())


class Walled:
    """A store whose work is done for one user, or for all of them."""

    @abstractmethod
    def _connected(self) -> AbstractContextManager[Connection]:
        """Lend a connection, which as yet works for nobody."""

    @contextmanager
    def _for(self, scope: Scope) -> Iterator[Connection]:
        """Lend a connection inside a transaction of one user."""
        with self._connected() as connection, connection.transaction():
            for_user(connection, scope)
            yield connection

    @contextmanager
    def _everybody(self) -> Iterator[Connection]:
        """Lend a connection inside a transaction that is about the store as a whole."""
        with self._connected() as connection, connection.transaction():
            for_everybody(connection)
            yield connection

    def _whom(self, scope: Scope | None) -> AbstractContextManager[Connection]:
        """Lend one for a user, or for all of them when none is named."""
        return self._everybody() if scope is None else self._for(scope)
