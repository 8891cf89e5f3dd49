"""jax2onnx, by a small network of Flax."""

import jax
import numpy
import onnx
from flax import nnx
from jax2onnx import to_onnx
from PIL import Image

from exporting import LABELS, PICTURES, export, labels_file, numbers, run

SIDE = 64
ANSWERS = {'colour': 'rgb', 'resize': 'stretch', 'filter': 'antialiased', 'mean': '127.5', 'std': '127.5'}


class Small(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Conv(3, 16, (3, 3), strides=(2, 2), rngs=rngs)
        self.second = nnx.Conv(16, 32, (3, 3), strides=(2, 2), rngs=rngs)
        self.last = nnx.Linear(32, len(LABELS), rngs=rngs)

    def __call__(self, values):
        values = nnx.relu(self.second(nnx.relu(self.first(values))))
        return 20 * self.last(values.mean((1, 2)))


@export('jax2onnx-flax', by='jax2onnx', model='a convolutional network of Flax', task='classify', answers=ANSWERS)
def small(folder):
    model = Small(nnx.Rngs(0))
    rows = [numpy.asarray(Image.open(path).convert('RGB').resize((SIDE, SIDE), Image.Resampling.BILINEAR)) for path in PICTURES]
    batch = numpy.stack(rows).astype(numpy.float32) / 127.5 - 1
    made = to_onnx(model, [('B', SIDE, SIDE, 3)])
    onnx.save(made, 'model.onnx')
    labels_file(folder)
    return {'scores': numbers(jax.nn.softmax(model(batch), axis=1))}


if __name__ == '__main__':
    run()
