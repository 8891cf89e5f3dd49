"""Records the embeddings of 28 faces, cut out by InsightFace's code at the points in embeddings.json: see README.md."""

import json
import sys
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
from skimage.transform import SimilarityTransform

# insightface/utils/face_align.py, of the package insightface 0.7.3.
ARCFACE = np.array(
    [[38.2946, 51.6963], [73.5318, 51.5014], [56.0252, 71.7366], [41.5493, 92.3655], [70.7299, 92.2041]], np.float32
)


def norm_crop(picture, points, side=112):
    move = SimilarityTransform()
    move.estimate(np.array(points, np.float32), ARCFACE * side / 112)
    return cv2.warpAffine(picture, move.params[:2], (side, side), borderValue=0.0)


GOLDEN = Path(__file__).parent / "embeddings.json"
FOLDERS = {"faces": Path(sys.argv[2]), "groups": Path(sys.argv[3])}

session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
entry = session.get_inputs()[0].name
faces = []
for face in json.loads(GOLDEN.read_text()):
    file = FOLDERS[face["kind"]] / f"{face['name']}.jpg"
    picture = cv2.cvtColor(cv2.imread(str(file)), cv2.COLOR_BGR2RGB)
    given = norm_crop(picture, face["points"])[None].astype(np.float32)
    (values,) = session.run(None, {entry: given})
    unit = values[0] / np.linalg.norm(values[0])
    faces.append({**face, "embedding": " ".join(str(round(float(value) * 10_000)) for value in unit)})
GOLDEN.write_text(json.dumps(faces))
