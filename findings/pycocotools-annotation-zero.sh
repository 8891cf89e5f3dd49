#!/bin/sh
# pycocotools: the annotation with id 0 is never found, and one whose area is not that of its box may not count at all.
#
# Version: pycocotools 2.0.11.
#
# COCO's format asks that ids are unique, and counting from 0 is what a loop gives. COCOeval writes the id of the annotation that was
# found beside each detection, and later takes 0 for "none found": so with ids from 0 one of the same perfect detections counts as wrong,
# which is all of a set of one, three quarters of the score of a set of two, and 19 points of one of ten. The field "area" is trusted as
# given: an annotation whose area is beyond 10^10 is ignored, and when all are, the result is -1. There is no message about either. What is
# compared, the boxes, is the same in each line.
#
# Output seen (average precision of perfect detections):
#   ids from 1: 1 annotation 1.000, 2 annotations 1.000, 10 annotations 1.000
#   ids from 0: 1 annotation 0.000, 2 annotations 0.252, 10 annotations 0.811
#   ids from 1, areas of 10^11: 1 annotation -1.000, 2 annotations -1.000, 10 annotations -1.000
#
# Exits with 1 when it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet pycocotools==2.0.11 >&2
"$folder/python/bin/python" - <<'PYTHON'
import contextlib
import io
import sys
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

def precision(count, first_id, area):
    boxes = [[60 * index, 10, 50, 50] for index in range(count)]
    truth = COCO()
    truth.dataset = {
        "info": {},
        "images": [{"id": 1, "width": 640, "height": 480}],
        "categories": [{"id": 1, "name": "dog"}],
        "annotations": [
            {"id": first_id + index, "image_id": 1, "category_id": 1, "bbox": box, "area": area, "iscrowd": 0}
            for index, box in enumerate(boxes)
        ],
    }
    truth.createIndex()
    found = truth.loadRes([{"image_id": 1, "category_id": 1, "bbox": box, "score": 0.9} for box in boxes])
    evaluation = COCOeval(truth, found, "bbox")
    evaluation.evaluate()
    evaluation.accumulate()
    evaluation.summarize()
    return round(float(evaluation.stats[0]), 3)

seen = {}
for label, first_id, area in (("ids from 1", 1, 2500), ("ids from 0", 0, 2500), ("ids from 1, areas of 10^11", 1, 1e11)):
    with contextlib.redirect_stdout(io.StringIO()):
        seen[label] = [precision(count, first_id, area) for count in (1, 2, 10)]
    words = zip(("1 annotation", "2 annotations", "10 annotations"), seen[label])
    print(f"{label}: {', '.join(f'{name} {value:.3f}' for name, value in words)}")
sys.exit(0 if list(seen.values()) == [[1, 1, 1], [0, 0.252, 0.811], [-1, -1, -1]] else 1)
PYTHON
