"""What places are called: by a table of all of them on this machine, or by a Nominatim server.

Importing this loads neither numpy nor an HTTP library; the first question does.
"""

from recollect.geocoding.factory import create_geocoder, may_ask_now, must_make_tables

__all__ = ["create_geocoder", "may_ask_now", "must_make_tables"]
