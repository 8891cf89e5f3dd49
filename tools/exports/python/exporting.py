"""What every script here has in common: exports are declared by `export`, made by `run`, and lie in a folder each."""

import json
import os
import sys
import time
import traceback
from importlib.metadata import version
from pathlib import Path

# Nothing is fetched but what was pinned.
os.environ.update(YOLO_AUTOINSTALL='false', YOLO_OFFLINE='true', HF_HUB_OFFLINE='1', TRANSFORMERS_OFFLINE='1', OMP_NUM_THREADS='2')

ROOT, PICTURE_FOLDER, PATTERN = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else ''
PICTURES = sorted(str(path) for path in PICTURE_FOLDER.glob('*.png'))
LABELS = ['bicycle', 'cat', 'dog', 'lamp', 'tree']
_exports = []


def export(name, *, by, model, task, answers=None, bar=None):
    """
    Declares an export: the function makes it in the folder that it is given, and returns what the exporter's own code says of each
    picture: {'boxes': [[{label, score, box}]]}, {'scores': [[…]]}, {'embeddings': [[…]]}, or {} where nothing can be compared.
    `by` is the package that wrote the file; `answers` are those to questions of `adit model add`, as whoever exports would know them.
    """

    def declared(make):
        _exports.append({'name': name, 'by': by, 'model': model, 'task': task, 'answers': answers or {}, 'bar': bar, 'make': make})
        return make

    return declared


def labels_file(folder, labels=None):
    (folder / 'labels.txt').write_text('\n'.join(labels or LABELS) + '\n')


def numbers(rows):
    return [[float(value) for value in row] for row in rows]


def run():
    """Makes the exports whose names hold the third argument, and writes a line of JSON about each."""
    for each in _exports:
        if PATTERN not in each['name']:
            continue
        folder = (ROOT / each['name']).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        said = {key: value for key, value in each.items() if key != 'make'}
        said['version'] = version(each['by'])
        started, back = time.monotonic(), os.getcwd()
        try:
            os.chdir(folder)
            said['expected'] = each['make'](folder)
        except Exception as error:
            traceback.print_exc()
            said['failed'] = f'{type(error).__name__}: {error}'.strip().splitlines()[0][:300]
        finally:
            os.chdir(back)
        said['seconds'] = round(time.monotonic() - started, 1)
        (folder / 'export.json').write_text(json.dumps(said))
        print(json.dumps({key: said.get(key) for key in ('name', 'failed', 'seconds')}), file=sys.__stdout__, flush=True)
