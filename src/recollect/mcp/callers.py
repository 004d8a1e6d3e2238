"""Who is asking, as the door knows them."""

from typing import NamedTuple

from recollect.access import Principal


class Caller(NamedTuple):
    """Whoever is asking, and the user they named at the door, if they named one."""

    principal: Principal
    user: str = ""
