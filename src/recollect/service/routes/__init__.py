"""The routes, by what they are about. A route checks and hands over; the façade decides."""
