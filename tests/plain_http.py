"""Clients for servers on loopback, where nothing is encrypted."""

import ssl
from typing import Final

# Without it each client would load the certificates of the machine, for 80 ms of CPU time.
NO_CERTIFICATES: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
