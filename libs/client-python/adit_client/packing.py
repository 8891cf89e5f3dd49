"""What belongs to an ONNX file: what its exporter wrote beside it, and the files that hold its weights, which it names."""

from __future__ import annotations

import mmap
import os
import re
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Optional, Union

from .errors import AditError

#: Files beside the graph that the service reads.
SIDECARS = (
    "config.json",
    "config.pbtxt",
    "generation_config.json",
    "preprocessor_config.json",
    "processor_config.json",
    "labels.txt",
    "charset.txt",
    "inference.yml",
    "tokenizer.json",
    "model.yaml",
)
#: Folders of a graph that has such files in the one above: of a version in Triton's layout, and that of Hugging Face.
BELOW = re.compile(r"onnx|[1-9]\d{0,8}")
VERSION = re.compile(r"[1-9]\d{0,8}")
#: Fields of a graph that are looked through; the service refuses more.
MAX_FIELDS = 1_000_000
MAX_DEPTH = 16
MAX_NAME = 4096
#: Bytes of ``config.pbtxt`` that are looked through.
MAX_CONFIG = 65_536

#: A field of a protobuf message: its number, and a whole number or where its bytes lie.
Field = tuple[int, Union[int, tuple[int, int]]]


@contextmanager
def packed(path: str) -> Iterator[str]:
    """The file to send: an archive or a graph as it is; else an archive of a graph and what belongs to it.

    A folder stands for the graph in it, of the highest version in Triton's layout. Throws AditError where that is no single
    graph, and for weights that are missing or lie outside of the graph's folder.
    """
    graph = _graph_in(path) if os.path.isdir(path) else path
    files = {} if _is_archive(graph) else _belonging(graph)
    if not files:
        yield graph
        return
    with tempfile.TemporaryDirectory(prefix="adit-model-") as folder:
        archive = os.path.join(folder, "model.tar")
        with tarfile.open(archive, "w", dereference=True) as tar:
            for name, place in {"model.onnx": graph, **files}.items():
                tar.add(place, name, recursive=False)
        yield archive


def _graph_in(folder: str) -> str:
    names = sorted(os.listdir(folder))
    versions = [name for name in names if VERSION.fullmatch(name)]
    if versions:
        return os.path.join(folder, max(versions, key=int), "model.onnx")
    graphs = [name for name in names if name.endswith(".onnx")]
    if not graphs and "onnx" in names and os.path.isdir(os.path.join(folder, "onnx")):
        return _graph_in(os.path.join(folder, "onnx"))
    if not graphs:
        raise AditError(f"{folder} has neither an ONNX file nor a folder 1 with model.onnx.")
    if len(graphs) > 1:
        raise AditError(f"{folder} has several ONNX files: name the one that is meant.")
    return os.path.join(folder, graphs[0])


def _is_archive(path: str) -> bool:
    with open(path, "rb") as file:
        head = file.read(512)
    return head.startswith((b"PK\x03\x04", b"\x1f\x8b")) or head[257:262] == b"ustar"


def _belonging(graph: str) -> dict[str, str]:
    """Where each file lies that belongs to a graph, by its name beside it."""
    beside = os.path.dirname(os.path.abspath(graph))
    places = [beside]
    if BELOW.fullmatch(os.path.basename(beside)):
        places.append(os.path.dirname(beside))
    files = {}
    for name in SIDECARS:
        found = [place for place in (os.path.join(each, name) for each in places) if os.path.isfile(place)]
        if found:
            files[name] = found[0]
    labels = None if "labels.txt" in files else _triton_labels(files.get("config.pbtxt"))
    if labels is not None:
        files["labels.txt"] = labels
    for location in external_data(graph):
        files[location] = _within(beside, location)
    return files


def _triton_labels(config: Optional[str]) -> Optional[str]:
    """The file of labels that ``config.pbtxt`` names beside itself."""
    if config is None:
        return None
    with open(config, encoding="utf-8", errors="replace") as file:
        named = re.search(r'\blabel_filename\s*:\s*"([^"/\\]+)"', file.read(MAX_CONFIG))
    place = os.path.join(os.path.dirname(config), named[1]) if named else ""
    return place if os.path.isfile(place) else None


def _within(folder: str, location: str) -> str:
    """The file that a graph in ``folder`` calls so. Throws AditError for one outside of it, whichever way it is reached."""
    outside = AditError(f"Weights lie at {location!r}, outside of the model's folder: save the model with its data beside it.")
    parts = location.split("/")
    if os.path.isabs(location) or "\0" in location or "\\" in location or ".." in parts:
        raise outside
    place = os.path.join(folder, *parts)
    if not os.path.exists(place):
        raise AditError(f"Weights lie in {location!r}, which is missing: put it beside the graph.")
    root = os.path.realpath(folder)
    # A link may lead out of it.
    if os.path.commonpath([root, os.path.realpath(place)]) != root:
        raise outside
    if not os.path.isfile(place):
        raise AditError(f"Weights lie in {location!r}, which is no file.")
    return place


def external_data(path: str) -> list[str]:
    """The files that an ONNX file says its weights lie in (onnx.proto, ``TensorProto.external_data``), relative to its folder.

    What is no ONNX file names none: what is wrong with it the service says.
    """
    if os.path.getsize(path) == 0:
        return []
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        reader = _Reader(content)
        try:
            reader.model()
        except _NoGraph:
            pass
        return sorted(reader.locations)


class _NoGraph(Exception):
    """It is not written as an ONNX file is, or is larger than any."""


class _Reader:
    """Goes once through a graph, over the bytes of its weights."""

    def __init__(self, content: mmap.mmap) -> None:
        self._content = content
        self._left = MAX_FIELDS
        self.locations: set[str] = set()

    def model(self) -> None:
        for number, value in self._fields(0, len(self._content)):
            if number == 7:
                self._graph(value, 0)
            elif number == 25:
                for inner, node in self._within(value):
                    if inner == 7:
                        self._node(node, 0)

    def _graph(self, value: Union[int, tuple[int, int]], depth: int) -> None:
        if depth > MAX_DEPTH:
            raise _NoGraph
        for number, inner in self._within(value):
            if number == 1:
                self._node(inner, depth)
            elif number == 5:
                self._tensor(inner)

    def _node(self, value: Union[int, tuple[int, int]], depth: int) -> None:
        for number, attribute in self._within(value):
            if number != 5:
                continue
            for kind, inner in self._within(attribute):
                if kind in (5, 10):
                    self._tensor(inner)
                elif kind in (6, 11):
                    self._graph(inner, depth + 1)

    def _tensor(self, value: Union[int, tuple[int, int]]) -> None:
        location = None
        is_external = False
        for number, inner in self._within(value):
            if number == 14:
                is_external = inner == 1
            elif number == 13:
                entry = {key: self._text(text) for key, text in self._within(inner) if key in (1, 2)}
                if entry.get(1) == "location":
                    location = entry.get(2)
        if is_external and location:
            self.locations.add(location)

    def _text(self, value: Union[int, tuple[int, int]]) -> str:
        if isinstance(value, int) or value[1] - value[0] > MAX_NAME:
            return ""
        return self._content[value[0] : value[1]].decode("utf-8", "replace")

    def _within(self, value: Union[int, tuple[int, int]]) -> Iterator[Field]:
        if isinstance(value, int):
            raise _NoGraph
        return self._fields(*value)

    def _fields(self, start: int, end: int) -> Iterator[Field]:
        """The fields of a message in protobuf's wire format."""
        at = start
        while at < end:
            self._left -= 1
            if self._left < 0:
                raise _NoGraph
            key, at = self._varint(at, end)
            kind = key & 7
            if kind == 0:
                number, at = self._varint(at, end)
                yield key >> 3, number
                continue
            if kind == 2:
                length, at = self._varint(at, end)
            elif kind in (1, 5):
                length = 8 if kind == 1 else 4
            else:
                raise _NoGraph
            if at + length > end:
                raise _NoGraph
            yield key >> 3, (at, at + length)
            at += length

    def _varint(self, at: int, end: int) -> tuple[int, int]:
        value = 0
        for shift in range(0, 70, 7):
            if at >= end:
                break
            byte = self._content[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value, at
        raise _NoGraph
