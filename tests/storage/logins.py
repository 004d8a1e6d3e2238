"""Logins of all kinds, and databases that belong to them."""

from urllib.parse import quote

import psycopg

from tests.fixtures import Server


def login(server: Server, name: str, rights: str = "") -> None:
    """Make a login, if there is none of this name yet."""
    with server.admin() as connection:
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (name,)).fetchone():
            connection.execute(f"CREATE ROLE {name} LOGIN {rights}".encode())


def logged_in(address: str, name: str, instead_of: str = "postgres") -> str:
    """Give the address of a database for another login."""
    return address.replace(f"//{quote(instead_of)}:", f"//{quote(name)}:", 1)


def owned_by(server: Server, name: str, rights: str = "") -> str:
    """Make an empty database that belongs to a login, with the extension that only an administrator may create."""
    login(server, name, rights)
    address = server.fresh(empty=True)
    database = address.removeprefix("postgresql://").partition("/")[2].partition("?")[0]
    with server.admin() as connection:
        connection.execute(f"ALTER DATABASE {database} OWNER TO {name}".encode())
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
    return logged_in(address, name)
