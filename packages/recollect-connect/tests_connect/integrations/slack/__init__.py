"""The Slack bot against a double of Slack over HTTP."""
