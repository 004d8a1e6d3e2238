"""Metrics, health checks and traces, for operators."""
