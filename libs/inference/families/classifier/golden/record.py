"""Writes a small classifier, also quantised and in float16, and ONNX Runtime's outputs for 20 pictures: see README.md."""

import gzip
import json
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxconverter_common import float16
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
from PIL import Image

HERE = Path(__file__).parent
LABELS = ["flat", "lying stripes", "standing stripes", "checks", "dots", "grain"]
SIDE, SHORTER = 48, 54
NAMES = ["float32", "int8-qdq", "int8-qoperator", "int8-dynamic", "float16", "float16-inside"]
MEAN, STD = np.array([123.675, 116.28, 103.53]), np.array([58.395, 57.12, 57.375])


def picture(width, height, seed):
    """Draws one of six patterns in two colours, with integers only, so that every language draws the same."""
    y, x = np.mgrid[0:height, 0:width]
    step = 6 + seed % 5
    kind = seed % len(LABELS)
    marks = [
        np.zeros_like(x),
        (y // step) % 2,
        (x // step) % 2,
        (y // step + x // step) % 2,
        ((y % (2 * step) < step // 2 + 1) & (x % (2 * step) < step // 2 + 1)).astype(int),
        (x * x * 7 + y * y * 13 + x * y * 5 + seed) % 11 % 2,
    ][kind]
    inks = [[(seed * 53 + c * 71) % 70 + 20 for c in range(3)], [(seed * 31 + c * 97) % 80 + 170 for c in range(3)]]
    return Image.fromarray(np.stack([np.where(marks == 1, inks[1][c], inks[0][c]) for c in range(3)], -1).astype(np.uint8))


def prepared(image):
    """Prepares a picture as torchvision does: Resize, CenterCrop, ToTensor, Normalize."""
    resized = image.resize([int(SHORTER * side / min(image.size)) for side in image.size], Image.BILINEAR)
    left, top = round((resized.width - SIDE) / 2), round((resized.height - SIDE) / 2)
    pixels = np.asarray(resized.crop((left, top, left + SIDE, top + SIDE)), np.float64)
    return ((pixels - MEAN) / STD).transpose(2, 0, 1).astype(np.float32)[None]


def sizes(count, start):
    chance = np.random.RandomState(start)
    for seed in range(start, start + count):
        yield int(chance.randint(60, 160)), int(chance.randint(60, 130)), seed


def graph(head, bias):
    chance = np.random.RandomState(11)
    weights = {
        "one.weight": chance.normal(0, 0.3, (16, 3, 5, 5)),
        "one.bias": chance.normal(0, 0.3, 16),
        "two.weight": chance.normal(0, 0.12, (64, 16, 3, 3)),
        "two.bias": chance.normal(0, 0.3, 64),
        "head.weight": head,
        "head.bias": bias,
    }
    nodes = [
        helper.make_node("Conv", ["input", "one.weight", "one.bias"], ["a"], strides=[2, 2], pads=[2, 2, 2, 2]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Conv", ["b", "two.weight", "two.bias"], ["c"], strides=[2, 2], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["d"]),
        helper.make_node("GlobalAveragePool", ["d"], ["e"]),
        helper.make_node("Flatten", ["e"], ["features"]),
        helper.make_node("Gemm", ["features", "head.weight", "head.bias"], ["logits"], name="head", transB=1),
    ]
    made = helper.make_graph(
        nodes,
        "patterns",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", 3, SIDE, SIDE])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", len(LABELS)])],
        [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()],
    )
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def run(model, images, output=None):
    given = model if isinstance(model, str) else model.SerializeToString()
    session = onnxruntime.InferenceSession(given, providers=["CPUExecutionProvider"])
    entry = session.get_inputs()[0]
    kind = np.float16 if entry.type == "tensor(float16)" else np.float32
    return np.concatenate([session.run(output, {entry.name: prepared(i).astype(kind)})[0] for i in images]).astype(np.float64)


def softmax(values):
    powers = np.exp(values - values.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def trained():
    """Trains the head by gradient descent on pictures that are not among the 20."""
    images = [(picture(w, h, seed), seed % len(LABELS)) for w, h, seed in sizes(900, 1000)]
    open_graph = graph(np.zeros((len(LABELS), 64)), np.zeros(len(LABELS)))
    open_graph.graph.output.append(helper.make_tensor_value_info("features", TensorProto.FLOAT, ["batch", 64]))
    features = run(open_graph, [image for image, _ in images], ["features"])
    mean, spread = features.mean(0), features.std(0) + 1e-6
    seen = (features - mean) / spread
    wanted = np.eye(len(LABELS))[[label for _, label in images]]
    head, bias = np.zeros((len(LABELS), 64)), np.zeros(len(LABELS))
    for _ in range(3000):
        error = softmax(seen @ head.T + bias) - wanted
        head -= 0.5 * (error.T @ seen / len(images) + 1e-3 * head)
        bias -= 0.5 * error.mean(0)
    return head / spread, bias - head @ (mean / spread)


class Calibration(CalibrationDataReader):
    def __init__(self):
        self.rest = iter([{"input": prepared(picture(w, h, seed))} for w, h, seed in sizes(60, 5000)])

    def get_next(self):
        return next(self.rest, None)


tests = list(sizes(20, 0))
images = [picture(*each) for each in tests]
record = {"labels": LABELS, "pictures": [{"width": w, "height": h, "seed": s} for w, h, s in tests], "scores": {}}
with tempfile.TemporaryDirectory() as folder:
    path = {name: str(Path(folder) / f"{name}.onnx") for name in NAMES}
    onnx.save(graph(*trained()), path["float32"])
    # Without the reduced range int8 saturates on processors without VNNI, and outputs depend on the machine.
    # The head stays float32, as is usual: in 8 bits its outputs would jump with the last bit of a pixel.
    static = {"nodes_to_exclude": ["head"], "activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8, "reduce_range": True}
    quantize_static(path["float32"], path["int8-qdq"], Calibration(), quant_format=QuantFormat.QDQ, per_channel=True, **static)
    quantize_static(path["float32"], path["int8-qoperator"], Calibration(), quant_format=QuantFormat.QOperator, **static)
    quantize_dynamic(path["float32"], path["int8-dynamic"], weight_type=QuantType.QUInt8, reduce_range=True)
    onnx.save(float16.convert_float_to_float16(onnx.load(path["float32"])), path["float16"])
    onnx.save(float16.convert_float_to_float16(onnx.load(path["float32"]), keep_io_types=True), path["float16-inside"])
    for name, file in path.items():
        scores = softmax(run(file, images))
        right = sum(int(row.argmax()) == s % len(LABELS) for row, (_, _, s) in zip(scores, tests))
        print(name, right, "of", len(tests), Path(file).stat().st_size)
        record["scores"][name] = [[round(value, 5) for value in row] for row in scores.tolist()]
        (HERE / f"{name}.onnx.gz").write_bytes(gzip.compress(Path(file).read_bytes(), 9, mtime=0))
open_graph = onnx.load_model_from_string(gzip.decompress((HERE / "float32.onnx.gz").read_bytes()))
open_graph.graph.output.append(helper.make_tensor_value_info("features", TensorProto.FLOAT, ["batch", 64]))
record["features"] = [[round(value, 5) for value in row] for row in run(open_graph, images, ["features"]).tolist()]
(HERE / "scores.json").write_text(json.dumps(record))
