"""Of rows of numbers, not of pictures: what Adit has to refuse, and say why."""

import numpy
import onnxmltools
from catboost import CatBoostClassifier
from lightgbm import LGBMClassifier
from onnxmltools.convert.common.data_types import FloatTensorType as RowType
from skl2onnx import to_onnx
from sklearn.linear_model import LogisticRegression
from xgboost import XGBClassifier

from exporting import export, run

numpy.random.seed(0)
ROWS = numpy.random.rand(60, 12).astype(numpy.float32)
KINDS = numpy.arange(60) % 3
INPUT = [('input', RowType([None, 12]))]


def written(model):
    with open('model.onnx', 'wb') as file:
        file.write(model.SerializeToString())
    return {}


@export('sklearn-zipmap', by='skl2onnx', model='LogisticRegression', task='rows of a table')
def zipmap(folder):
    return written(to_onnx(LogisticRegression().fit(ROWS, KINDS), ROWS[:1], target_opset=21))


@export('sklearn-plain', by='skl2onnx', model='LogisticRegression (zipmap=False)', task='rows of a table')
def plain(folder):
    model = LogisticRegression().fit(ROWS, KINDS)
    return written(to_onnx(model, ROWS[:1], target_opset=21, options={id(model): {'zipmap': False}}))


@export('xgboost', by='onnxmltools', model='XGBClassifier', task='rows of a table')
def boosted(folder):
    return written(onnxmltools.convert_xgboost(XGBClassifier(n_estimators=3).fit(ROWS, KINDS), initial_types=INPUT, target_opset=15))


@export('lightgbm', by='onnxmltools', model='LGBMClassifier', task='rows of a table')
def light(folder):
    model = LGBMClassifier(n_estimators=3, verbose=-1).fit(ROWS, KINDS)
    return written(onnxmltools.convert_lightgbm(model, initial_types=INPUT, target_opset=15, zipmap=False))


@export('catboost', by='catboost', model='CatBoostClassifier', task='rows of a table')
def cat(folder):
    model = CatBoostClassifier(iterations=3, verbose=False, allow_writing_files=False).fit(ROWS, KINDS)
    model.save_model('model.onnx', format='onnx')
    return {}


if __name__ == '__main__':
    run()
