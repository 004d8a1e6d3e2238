"""When the work of a request begins: rates by the texts it brings, and a queue in which users take turns."""
