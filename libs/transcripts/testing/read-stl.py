"""Reads EBU-STL from standard input; writes start and end in seconds since the start of the programme, and the lines, of each subtitle."""

import io
import json
import sys

import ttconv.model as model
import ttconv.stl.config as config
import ttconv.stl.reader as reader


def text_of(element):
    if isinstance(element, model.Br):
        return "\n"
    if isinstance(element, model.Text):
        return element.get_text()
    return "".join(text_of(child) for child in element)


document = reader.to_model(io.BytesIO(sys.stdin.buffer.read()), config.STLReaderConfiguration(program_start_tc="TCP"))
json.dump(
    [
        [float(paragraph.get_begin()), float(paragraph.get_end()), text_of(paragraph).split("\n")]
        for div in document.get_body()
        for paragraph in div
    ],
    sys.stdout,
)
