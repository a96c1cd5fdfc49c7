"""Where what was answered is kept, and found again by what was asked."""

from evalkit.recordings.folding import recordings_of
from evalkit.recordings.missing import NoRecordingError
from evalkit.recordings.reading import RecordingsError
from evalkit.recordings.recorder import Recorder
from evalkit.recordings.requests import Recording
from evalkit.recordings.store import Recordings

__all__ = [
    "NoRecordingError",
    "Recorder",
    "Recording",
    "Recordings",
    "RecordingsError",
    "recordings_of",
]
