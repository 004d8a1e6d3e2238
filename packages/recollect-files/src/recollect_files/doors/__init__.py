"""Routes that this package adds to the service, and the thread that keeps folders in step while it runs."""
