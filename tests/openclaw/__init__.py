"""The plugin in a real OpenClaw: `make openclaw` installs the host, runs scripted turns, and prints what they cost."""
