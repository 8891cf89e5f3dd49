"""RF-DETR's detectors, by its own exporter."""

import cv2
import numpy
import torch
import torchvision.transforms.functional as transforms
from PIL import Image
from rfdetr import RFDETRNano

from exporting import LABELS, PICTURES, export, labels_file, run
from random_weights import caught, seeded, spread

SIDE = 384


@export('rfdetr-nano', by='rfdetr', model='RF-DETR Nano', task='detect')
@torch.no_grad()
def nano(folder):
    seeded()
    model = RFDETRNano(pretrain_weights=None, num_classes=len(LABELS), resolution=SIDE)
    network = model.model.model
    layer = network.class_embed
    network.eval()
    # Alike, or two proposals that are equally sure to the last bit say something else where they change places.
    for slots in (network.query_feat.weight, network.refpoint_embed.weight):
        slots.copy_(slots[:1].clone().expand_as(slots))
    spread(layer, caught(layer, lambda: network(torch.rand(2, 3, SIDE, SIDE, device=next(network.parameters()).device)))[-1], deviation=1.0, highest=1.0)
    # It has learnt that its last class is nothing.
    layer.bias[-1] = -50
    made = model.export(output_dir=str(folder), verbose=False)
    made.rename(folder / 'model.onnx')
    labels_file(folder)
    return {'boxes': [found(model, Image.open(path).convert('RGB')) for path in PICTURES]}


def found(model, picture):
    """
    What `predict` finds. It is given the picture in its size already, in whole levels as its training has them (OpenCV's, by
    albumentations): what half a level makes of random weights is not the question.
    """
    resized = cv2.resize(numpy.asarray(picture), (SIDE, SIDE), interpolation=cv2.INTER_LINEAR)
    own = transforms.resize(transforms.to_tensor(picture), [SIDE, SIDE], antialias=False) * 255
    apart = float((own - torch.from_numpy(resized).permute(2, 0, 1)).abs().max())
    if apart > 1:
        raise ValueError(f"RF-DETR's own resizing is {apart} levels off OpenCV's")
    answer = model.predict(Image.fromarray(resized), threshold=0.2)
    across, down = picture.width / SIDE, picture.height / SIDE
    return [
        {
            'label': LABELS[int(kind)] if int(kind) < len(LABELS) else 'nothing',
            'score': float(score),
            'box': [float(value) * by for value, by in zip(box, (across, down, across, down))],
        }
        for box, score, kind in zip(answer.xyxy, answer.confidence, answer.class_id)
    ]


if __name__ == '__main__':
    run()
