"""Routes and tools that this package adds to the service and to the agent protocol."""
