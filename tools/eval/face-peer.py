"""face-peer.py PATHS.json OUT.json: the faces of photos as face_recognition (dlib) sees them, boxes as fractions, with encodings."""
import json
import sys

import face_recognition
import numpy
from PIL import Image, ImageOps

SMALL = 500 * 500
LARGEST = 4_000_000


def faces_of(path):
    picture = ImageOps.exif_transpose(Image.open(path)).convert("RGB")
    width, height = picture.size
    if width * height > LARGEST:
        scale = (LARGEST / (width * height)) ** 0.5
        picture = picture.resize((int(width * scale), int(height * scale)))
        width, height = picture.size
    pixels = numpy.array(picture)
    boxes = face_recognition.face_locations(pixels, number_of_times_to_upsample=2 if width * height < SMALL else 1)
    encodings = face_recognition.face_encodings(pixels, boxes)
    return [
        {
            "box": [left / width, top / height, (right - left) / width, (bottom - top) / height],
            "embedding": encoding.tolist(),
        }
        for (top, right, bottom, left), encoding in zip(boxes, encodings)
    ]


def main():
    with open(sys.argv[1]) as paths:
        found = {path: faces_of(path) for path in json.load(paths)}
    with open(sys.argv[2], "w") as out:
        json.dump(found, out)


main()
