"""Traces of many devices: a data set, and questions to it."""
