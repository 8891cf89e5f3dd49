"""Ultralytics: untrained networks of its own configurations, exported by its own exporter, asked by its own predictor."""

from pathlib import Path

import torch
import ultralytics
import yaml
from ultralytics import RTDETR, YOLO
from ultralytics.models.yolo.segment import SegmentationPredictor

from exporting import LABELS, PICTURES, export, run
from random_weights import caught, enlivened, pixels, seeded, spread

SIZE = 320
FAMILY = Path(ultralytics.__file__).parent / 'cfg/models'


def untrained(configuration, name, size, transformer=False):
    """`name` holds the letter of the scale: the class reads it there."""
    seeded()
    said = yaml.safe_load((FAMILY / configuration).read_text())
    said['nc'] = len(LABELS)
    Path(f'{name}.yaml').write_text(yaml.safe_dump(said, sort_keys=False))
    model = (RTDETR if transformer else YOLO)(f'{name}.yaml')
    model.model.names = dict(enumerate(LABELS))
    height, width = size if isinstance(size, list) else (size, size)
    batch = pixels(width, height)
    model.model.eval()
    enlivened(model.model, batch)
    head = model.model.model[-1]
    for part in ('cv3', 'one2one_cv3'):
        for branch in getattr(head, part, None) or []:
            layer = branch[-1]
            spread(layer, caught(layer, lambda: model.model(batch)), deviation=1.5, highest=1.0)
    for part in ('cv2', 'one2one_cv2'):
        for branch in getattr(head, part, None) or []:
            layer = branch[-1]
            plain = getattr(head, 'reg_max', 16) == 1
            spread(layer, caught(layer, lambda: model.model(batch)), deviation=0.5 if plain else 2.0)
            if plain:
                # Without a distribution what it gives is the distance itself, of which none is negative.
                layer.bias.data.add_(3)
    if transformer:
        # The queries are chosen by one head and scored by the others.
        for layer in [head.enc_score_head, head.dec_score_head[-1]]:
            spread(layer, caught(layer, lambda: model.model(batch)), deviation=1.0, highest=1.0)
    return model


class Boxes(SegmentationPredictor):
    """Without the masks, as jobs use such a model: a box whose mask is empty, which trained weights hardly give, is one as well."""

    def construct_result(self, pred, img, orig_img, img_path, proto):
        return super(SegmentationPredictor, self).construct_result(pred, img, orig_img, img_path)


def found(path, size, task, **said):
    if task == 'segment':
        said['predictor'] = Boxes
    model = RTDETR(path) if said.pop('transformer', False) else YOLO(path, task=task)
    results = [model.predict(picture, imgsz=size, conf=0.2, rect=False, verbose=False, **said)[0] for picture in PICTURES]
    if task == 'classify':
        return {'scores': [[float(value) for value in result.probs.data] for result in results]}
    if task == 'obb':
        return {}
    return {
        'boxes': [
            [
                {'label': LABELS[int(kind)], 'score': float(score), 'box': [float(value) for value in box]}
                for box, score, kind in zip(result.boxes.xyxy, result.boxes.conf, result.boxes.cls)
            ]
            for result in results
        ]
    }


def declare(name, configuration, scaled, task, size=SIZE, transformer=False, bar=None, **options):
    model = scaled + (f" ({', '.join(f'{key}={value}' for key, value in options.items())})" if options else '')

    @export(f'ultralytics-{name}', by='ultralytics', model=model, task=task, bar=bar)
    def make(folder):
        network = untrained(configuration, scaled, size, transformer)
        if task == 'classify':
            layer = network.model.model[-1].linear
            batch = pixels(size, size)
            spread(layer, caught(layer, lambda: network.model(batch)), deviation=2.0)
        path = Path(network.export(format='onnx', imgsz=size, verbose=False, **options)).resolve()
        path.rename(folder / 'model.onnx')
        return found('model.onnx', size, task, **({'transformer': True} if transformer else {}))


declare('yolov5u', 'v5/yolov5.yaml', 'yolov5n', 'detect')
declare('yolov8', 'v8/yolov8.yaml', 'yolov8n', 'detect')
declare('yolov8-wide', 'v8/yolov8.yaml', 'yolov8n', 'detect', size=[192, 320])
declare('yolov9', 'v9/yolov9t.yaml', 'yolov9t', 'detect')
declare('yolov10', 'v10/yolov10n.yaml', 'yolov10n', 'detect')
declare('yolo11', '11/yolo11.yaml', 'yolo11n', 'detect')
declare('yolo11-dynamic', '11/yolo11.yaml', 'yolo11n', 'detect', dynamic=True)
declare('yolo11-nms', '11/yolo11.yaml', 'yolo11n', 'detect', nms=True, conf=0.2, iou=0.7)
# Rounding is another for each way to run float16 on a CPU, and an untrained network makes much of it.
ROUNDED = {'overlap': 0.7, 'difference': 0.03, 'missed': 4}
declare('yolo11-half', '11/yolo11.yaml', 'yolo11n', 'detect', bar=ROUNDED, half=True)
declare('yolo11-batch', '11/yolo11.yaml', 'yolo11n', 'detect', batch=2)
declare('yolo11-pose', '11/yolo11-pose.yaml', 'yolo11n-pose', 'pose')
declare('yolo11-segment', '11/yolo11-seg.yaml', 'yolo11n-seg', 'segment')
declare('yolo11-segment-nms', '11/yolo11-seg.yaml', 'yolo11n-seg', 'segment', nms=True, conf=0.2, iou=0.7)
declare('yolo11-obb', '11/yolo11-obb.yaml', 'yolo11n-obb', 'obb')
declare('yolo11-classify', '11/yolo11-cls.yaml', 'yolo11n-cls', 'classify', size=128)
declare('yolo12', '12/yolo12.yaml', 'yolo12n', 'detect')
declare('yolo26', '26/yolo26.yaml', 'yolo26n', 'detect')
declare('yolo26-end2end', '26/yolo26.yaml', 'yolo26n', 'detect', end2end=True)
declare('yolo26-pose', '26/yolo26-pose.yaml', 'yolo26n-pose', 'pose')
declare('yolo26-segment', '26/yolo26-seg.yaml', 'yolo26n-seg', 'segment')
declare('yolo26-classify', '26/yolo26-cls.yaml', 'yolo26n-cls', 'classify', size=128)
declare('rtdetr', 'rt-detr/rtdetr-resnet50.yaml', 'rtdetr-resnet50', 'detect', transformer=True)

if __name__ == '__main__':
    run()
