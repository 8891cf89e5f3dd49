"""Results as tables of pandas, where pandas is installed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .types import DetailedResult, Detection, SummarizedResult

if TYPE_CHECKING:
    import pandas

#: What is the same in every row of ``results_frame``, whatever was found.
COLUMNS = [
    "source",
    "module",
    "label",
    "confidence",
    "time_start",
    "time_end",
    "tc_start",
    "tc_end",
    "frame_start",
    "frame_end",
    "detections",
]
BOX_COLUMNS = ["segment", "source", "module", "label", "frame", "type"]
SUMMARY_COLUMNS = ["source", "module", "type", "key", "value"]


def results_frame(results: Iterable[DetailedResult], names: Mapping[str, str]) -> pandas.DataFrame:
    """One row a segment. ``detections`` is how many boxes it has; ``names`` has names for sources."""
    rows = [
        {
            "source": names.get(each.source, each.source),
            "module": each.module,
            "label": label_of(each.meta),
            "confidence": confidence_of(each.meta),
            "time_start": each.time_start,
            "time_end": each.time_end,
            "tc_start": each.tc_start,
            "tc_end": each.tc_end,
            "frame_start": each.frame_start,
            "frame_end": each.frame_end,
            "detections": len(each.detections),
            **{f"meta.{name}": value for name, value in each.meta.items()},
        }
        for each in results
    ]
    return _frame(rows, COLUMNS)


def boxes_frame(results: Iterable[DetailedResult], names: Mapping[str, str]) -> pandas.DataFrame:
    """One row a box."""
    rows = [
        {
            "segment": index,
            "source": names.get(each.source, each.source),
            "module": each.module,
            "label": label_of(each.meta),
            **_box(detection),
        }
        for index, each in enumerate(results)
        for detection in each.detections
    ]
    return _frame(rows, [*BOX_COLUMNS, "x", "y", "w", "h"])


def summary_frame(results: Iterable[SummarizedResult], names: Mapping[str, str]) -> pandas.DataFrame:
    """One row a number."""
    rows = [
        {
            "source": names.get(each.source, each.source),
            "module": each.module,
            "type": each.type,
            "key": key,
            "value": value,
        }
        for each in results
        for key, value in each.meta.items()
    ]
    return _frame(rows, SUMMARY_COLUMNS)


def prediction_frame(results: Iterable[Any]) -> pandas.DataFrame:
    """One row for each box of what a model said of one picture, or for what it said of the whole of it."""
    rows = [
        {"label": each.label, "confidence": each.confidence, **(_box(detection) if detection else {})}
        for each in results
        for detection in each.detections or [None]
    ]
    return _frame(rows, ["label", "confidence", "type", "x", "y", "w", "h"]).drop(columns="frame", errors="ignore")


def label_frame(labels: Iterable[Any]) -> pandas.DataFrame:
    """One row for each label of two versions that looked at the same."""
    rows = [
        {"label": each.label, "both": each.both, "only_stable": each.only_stable, "only_candidate": each.only_candidate}
        for each in labels
    ]
    return _frame(rows, ["label", "both", "only_stable", "only_candidate"])


def label_of(meta: Mapping[str, Any]) -> Any:
    """Who or what it is, by whatever name the module gives it; None where it has none."""
    landmark = meta.get("landmark")
    names = [
        meta.get("person"),
        meta.get("label"),
        meta.get("text"),
        landmark.get("name") if isinstance(landmark, dict) else None,
    ]
    return next((name for name in names if isinstance(name, str)), None)


def confidence_of(meta: Mapping[str, Any]) -> Any:
    """How sure, 0..1: the mean of a film's segment, else of the picture; None where the module does not say."""
    fields = ["mean_similarity", "similarity", "mean_confidence", "confidence"]
    return next((meta[field] for field in fields if isinstance(meta.get(field), (int, float))), None)


def _box(detection: Detection) -> dict[str, Any]:
    return {"frame": detection.frame_index, "type": detection.type, **detection.data}


def _frame(rows: list[dict[str, Any]], columns: list[str]) -> pandas.DataFrame:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("Tables need pandas: pip install 'adit-client[pandas]'.") from error
    more = {name: None for row in rows for name in row if name not in columns}
    return pandas.DataFrame(rows, columns=[*columns, *more])
