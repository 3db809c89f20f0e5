"""How far a matcher agrees with assessors, and which threshold to use."""

from tseval.calibration.calibrate import Calibration, Measured, calibrate, signature
from tseval.calibration.judged import Judged, read_judged
from tseval.calibration.worst import Disagreement

__all__ = [
    "Calibration",
    "Disagreement",
    "Judged",
    "Measured",
    "calibrate",
    "read_judged",
    "signature",
]
