"""Bridges to the tools people use. Each is an extra, and loaded only when it is asked for."""
