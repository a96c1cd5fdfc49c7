"""The version of this distribution, in the one place that is read for it."""

VERSION = "0.1.0"
