"""What ONNX Runtime's own tools make of an export: int8 in three ways."""

import numpy
import onnxruntime
import timm
import torch
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_dynamic, quantize_static
from timm.models import save_for_hf
from timm.utils.onnx import onnx_export

from exporting import LABELS, export, numbers, run
from random_weights import caught, enlivened, seeded, spread
from timm_inputs import inputs


class Pictures(CalibrationDataReader):
    def __init__(self, batch):
        self.rows = iter([{'input0': batch[at : at + 1].numpy()} for at in range(len(batch))])

    def get_next(self):
        return next(self.rows, None)


def declare(name, quantise):
    # The scale of a dynamic graph is that of the whole picture, so that a rounding moves all of its values.
    @export(f'onnxruntime-{name}', by='onnxruntime', model=f'timm resnet10t in int8 ({name})', task='classify', bar={'difference': 0.02})
    @torch.no_grad()
    def make(folder):
        seeded()
        model = timm.create_model('resnet10t', num_classes=len(LABELS)).eval()
        batch = inputs(model)
        enlivened(model, batch)
        layer = model.get_classifier()
        spread(layer, caught(layer, lambda: model(batch)), deviation=2.0)
        save_for_hf(model, folder, model_config={'label_names': LABELS}, safe_serialization=True)
        (folder / 'model.safetensors').unlink()
        onnx_export(model, 'plain.onnx', batch_size=1, input_size=tuple(batch.shape[1:]))
        quantise(batch)
        for each in folder.glob('plain*'):
            each.unlink()
        session = onnxruntime.InferenceSession('model.onnx', providers=['CPUExecutionProvider'])
        rows = [session.run(None, {'input0': batch[at : at + 1].numpy()})[0][0] for at in range(len(batch))]
        return {'scores': numbers(torch.from_numpy(numpy.stack(rows)).softmax(1))}


declare('dynamic', lambda _: quantize_dynamic('plain.onnx', 'model.onnx'))
declare('qdq', lambda batch: quantize_static('plain.onnx', 'model.onnx', Pictures(batch), quant_format=QuantFormat.QDQ))
declare('qoperator', lambda batch: quantize_static('plain.onnx', 'model.onnx', Pictures(batch), quant_format=QuantFormat.QOperator))

if __name__ == '__main__':
    run()
