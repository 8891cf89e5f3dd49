"""RF-DETR, LibreYOLO's and EfficientDet's detectors, by their own exporters."""

import torch
from rfdetr import RFDETRNano

from exporting import LABELS, PICTURES, export, labels_file, run
from random_weights import caught, seeded, spread


@export('rfdetr-nano', by='rfdetr', model='RF-DETR Nano', task='detect')
@torch.no_grad()
def nano(folder):
    seeded()
    model = RFDETRNano(pretrain_weights=None, num_classes=len(LABELS), resolution=384)
    network = model.model.model
    layer = network.class_embed
    network.eval()
    spread(layer, caught(layer, lambda: network(torch.rand(2, 3, 384, 384, device=next(network.parameters()).device)))[-1], deviation=1.0, highest=1.0)
    # It has learnt that its last class is nothing.
    layer.bias[-1] = -50
    made = model.export(output_dir=str(folder), verbose=False)
    made.rename(folder / 'model.onnx')
    labels_file(folder)
    answers = [model.predict(path, threshold=0.2) for path in PICTURES]
    return {
        'boxes': [
            [
                {'label': LABELS[int(kind)] if int(kind) < len(LABELS) else 'nothing', 'score': float(score), 'box': [float(value) for value in box]}
                for box, score, kind in zip(answer.xyxy, answer.confidence, answer.class_id)
            ]
            for answer in answers
        ]
    }


if __name__ == '__main__':
    run()
