#!/bin/sh
# onnxruntime: whether the largest of some values is NaN depends on where the NaN stands.
#
# Versions: onnxruntime 1.32.0 (provider CPU, Linux on x64) and, for comparison, the reference evaluator of onnx 1.23.2.
#
# A NaN, as it comes of an overflow in half precision, is expected to come through a maximum (as in NumPy, PyTorch and the reference
# evaluator) or to be passed over (as by fmax). onnxruntime does either: ReduceMax and ReduceMin give NaN if it stands first and lose it
# elsewhere, GlobalMaxPool gives it if it stands last. So a check of a network's output, which finds its peak and asks whether that
# is a number, misses nearly each damaged one, and ArgMax names a sound-looking class. Max, Relu and Clip keep a NaN at any place.
#
# Output seen (places at which a NaN among 16 values is seen):
#   ReduceMax: onnxruntime [0], reference all 16
#   ReduceMin: onnxruntime [0], reference all 16
#   GlobalMaxPool: onnxruntime [15], reference all 16
#   Max, Relu: all 16 by both
#
# Exits with 1 when it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet onnxruntime==1.32.0 onnx==1.23.2 >&2
"$folder/python/bin/python" - <<'PYTHON'
import sys
import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

COUNT = 16

def evaluators(operator, shape, attributes):
    result = shape if operator in ("Max", "Relu") else [1] * len(shape)
    values = lambda name, sides: helper.make_tensor_value_info(name, TensorProto.FLOAT, sides)
    node = helper.make_node(operator, ["x", "x"] if operator == "Max" else ["x"], ["y"], **attributes)
    graph = helper.make_graph([node], operator, [values("x", shape)], [values("y", result)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=9)
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session, ReferenceEvaluator(model)

def places(evaluator, shape):
    seen = []
    for place in range(COUNT):
        values = numpy.linspace(0.1, 0.9, COUNT, dtype=numpy.float32)
        values[place] = numpy.nan
        if numpy.isnan(evaluator.run(None, {"x": values.reshape(shape)})[0]).any():
            seen.append(place)
    return seen

everywhere = list(range(COUNT))
as_seen = True
for operator, shape, attributes, expected in (
    ("ReduceMax", [COUNT], {"axes": [0]}, [0]),
    ("ReduceMin", [COUNT], {"axes": [0]}, [0]),
    ("GlobalMaxPool", [1, 1, 1, COUNT], {}, [COUNT - 1]),
    ("Max", [COUNT], {}, everywhere),
    ("Relu", [COUNT], {}, everywhere),
):
    runtime, reference = (places(each, shape) for each in evaluators(operator, shape, attributes))
    words = [f"all {COUNT}" if found == everywhere else str(found) for found in (runtime, reference)]
    print(f"{operator}: onnxruntime {words[0]}, reference {words[1]}")
    as_seen = as_seen and (runtime, reference) == (expected, everywhere)
sys.exit(0 if as_seen else 1)
PYTHON
