"""paddle2onnx, by a program of PaddlePaddle that was saved for inference."""

import numpy
import paddle
import paddle2onnx
from PIL import Image

from exporting import LABELS, PICTURES, export, labels_file, numbers, run

SIDE = 96
MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]
ANSWERS = {
    **{'colour': 'rgb', 'resize': 'stretch', 'filter': 'antialiased'},
    **{'mean': ','.join(map(str, MEAN)), 'std': ','.join(map(str, STD))},
}


def pixels():
    rows = [numpy.asarray(Image.open(path).convert('RGB').resize((SIDE, SIDE), Image.Resampling.BILINEAR)) for path in PICTURES]
    return ((numpy.stack(rows) - MEAN) / STD).transpose(0, 3, 1, 2).astype('float32')


def declare(name, of, softmax):
    @export(f'paddle-{name}', by='paddle2onnx', model=f'{of.__name__}{" with softmax" if softmax else ""}', task='classify', answers=ANSWERS)
    @paddle.no_grad()
    def make(folder):
        paddle.seed(0)
        network = of(pretrained=False, num_classes=len(LABELS))
        batch = paddle.to_tensor(pixels())
        network.train()
        for _ in range(20):
            network(batch)
        network.eval()
        values = network(batch)
        last = [layer for layer in network.sublayers() if isinstance(layer, paddle.nn.Linear)][-1]
        last.weight.set_value(last.weight * (2 / max(float(values.std()), 1e-9)))
        last.bias.set_value(last.bias * 0)
        whole = paddle.nn.Sequential(network, paddle.nn.Softmax()) if softmax else network
        whole.eval()
        spec = [paddle.static.InputSpec([None, 3, SIDE, SIDE], 'float32', name='x')]
        paddle.jit.save(whole, 'saved', input_spec=spec)
        paddle2onnx.export('saved.json', 'saved.pdiparams', 'model.onnx', opset_version=17)
        labels_file(folder)
        return {'scores': numbers(paddle.nn.functional.softmax(network(batch)).numpy())}


declare('mobilenetv3', paddle.vision.models.mobilenet_v3_small, False)
declare('resnet18', paddle.vision.models.resnet18, True)

if __name__ == '__main__':
    run()
