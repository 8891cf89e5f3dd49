"""read-frames.py FOLDER: the time of RapidOCR, with its defaults, for the pictures of a folder, and what it read, as a line of JSON."""
import json
import sys
import time
from pathlib import Path

import cv2
from rapidocr import RapidOCR

engine = RapidOCR()
pictures = [cv2.imread(str(path)) for path in sorted(Path(sys.argv[1]).glob("*.png"))]
engine(pictures[0])
start = time.monotonic()
lines = set()
for picture in pictures:
    lines.update(engine(picture).txts or ())
seconds = time.monotonic() - start
print(json.dumps({"frames": len(pictures), "seconds": seconds, "lines": sorted(lines)}))
