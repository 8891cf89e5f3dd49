"""Keras' own exporter and tf2onnx: classifiers that take pictures with the colours last."""

import os

os.environ.update(CUDA_VISIBLE_DEVICES='', TF_CPP_MIN_LOG_LEVEL='3')

import keras
import numpy
import tensorflow
import tf2onnx
from PIL import Image

from exporting import LABELS, PICTURES, export, labels_file, numbers, run

SIDE = 96
ANSWERS = {'colour': 'rgb', 'resize': 'stretch', 'filter': 'antialiased', 'shorterSide': None}


def pixels(side=SIDE):
    rows = [Image.open(path).convert('RGB').resize((side, side), Image.Resampling.BILINEAR) for path in PICTURES]
    return numpy.stack([numpy.asarray(row) for row in rows]).astype(numpy.float32)


def untrained(of, scale):
    """Its last layer is made to answer differently to different pictures; `scale` makes of 0..255 what the network takes."""
    keras.utils.set_random_seed(0)
    model = of(weights=None, classes=len(LABELS), input_shape=(SIDE, SIDE, 3))
    batch = scale(pixels())
    last = [layer for layer in model.layers if layer.weights][-1]
    if 'conv' not in last.name:
        before = keras.Model(model.input, last.input).predict(batch, verbose=0)
        kernel, bias = last.get_weights()
        values = before @ kernel
        spread = 2 / max(values.std(), 1e-9)
        last.set_weights([kernel * spread, bias - values.mean(0) * spread])
    return model, batch


def declare(name, by, of, answers, scale, write):
    answers = {key: value for key, value in {**ANSWERS, **answers}.items() if value is not None}

    @export(name, by=by, model=of.__name__, task='classify', answers=answers)
    def make(folder):
        model, batch = untrained(of, scale)
        write(model)
        labels_file(folder)
        return {'scores': numbers(model.predict(batch, verbose=0))}


def by_keras(model):
    model(numpy.zeros((1, SIDE, SIDE, 3), numpy.float32))
    model.export('model.onnx', format='onnx', verbose=False)


def by_tf2onnx(model):
    signature = [tensorflow.TensorSpec((None, SIDE, SIDE, 3), tensorflow.float32, name='image')]
    tf2onnx.convert.from_keras(model, input_signature=signature, opset=17, output_path='model.onnx')


APPLICATIONS = keras.applications
SIGNED = ({'mean': '127.5', 'std': '127.5'}, lambda values: values / 127.5 - 1)
AS_IT_IS = ({'mean': '0', 'std': '1'}, lambda values: values)
declare('keras-mobilenetv2', 'keras', APPLICATIONS.MobileNetV2, *SIGNED, by_keras)
declare('keras-efficientnetv2', 'keras', APPLICATIONS.EfficientNetV2B0, *AS_IT_IS, by_keras)
declare('tf2onnx-mobilenetv2', 'tf2onnx', APPLICATIONS.MobileNetV2, *SIGNED, by_tf2onnx)
declare('tf2onnx-densenet', 'tf2onnx', APPLICATIONS.DenseNet121, {'mean': '123.675,116.28,103.53', 'std': '58.395,57.12,57.375'}, lambda values: (values - [123.675, 116.28, 103.53]) / [58.395, 57.12, 57.375], by_tf2onnx)

if __name__ == '__main__':
    run()
