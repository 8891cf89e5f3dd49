"""What is sent of a model, without an engine."""

import tarfile

import pytest

from adit_client import AditError
from adit_client.packing import external_data, packed


def varint(number: int) -> bytes:
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    return bytes([*written, number])


def field(number: int, content) -> bytes:
    """A field of a protobuf message: a whole number, or bytes."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def tensor(location: str, external: int = 1) -> bytes:
    entries = [("location", location), ("offset", "0"), ("length", "4")]
    data = b"".join(field(13, field(1, key) + field(2, value)) for key, value in entries)
    return field(1, 1) + field(2, 1) + field(8, "w") + data + field(14, external)


def graph(*locations: str) -> bytes:
    weights = b"".join(field(5, tensor(location)) for location in locations)
    # `ir_version`, and a float and a double, which nothing reads.
    return field(1, 8) + field(7, weights) + varint(11 << 3 | 5) + bytes(4) + varint(12 << 3 | 1) + bytes(8)


def sent(path) -> dict:
    with packed(str(path)) as archive:
        if archive == str(path):
            return {}
        with tarfile.open(archive) as tar:
            return {member.name: tar.extractfile(member).read() for member in tar.getmembers()}


def test_weights_lie_where_the_graph_says_wherever_they_stand_in_it(tmp_path):
    constant = field(1, field(4, "Constant") + field(5, field(1, "value") + field(5, tensor("constant.data"))))
    branch = field(1, field(4, "If") + field(5, field(1, "then") + field(6, field(5, tensor("branch.data")))))
    function = field(25, field(7, field(5, field(10, tensor("function.data")))))
    inside = field(5, tensor("inside.data", external=0))
    path = tmp_path / "best.onnx"
    path.write_bytes(field(7, constant + branch + inside + field(5, tensor("best.onnx.data"))) + function)
    assert external_data(str(path)) == ["best.onnx.data", "branch.data", "constant.data", "function.data"]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"what is this", b"\xff" * 300, graph("a.data")[:-3]])
def test_what_is_no_graph_is_the_service_s_to_refuse(tmp_path, content):
    path = tmp_path / "best.onnx"
    path.write_bytes(content)
    (tmp_path / "a.data").write_bytes(b"1234")
    assert set(external_data(str(path))) <= {"a.data"}


def test_a_graph_goes_with_what_it_names_and_nothing_else_of_its_folder(tmp_path):
    path = tmp_path / "best.onnx"
    path.write_bytes(graph("best.onnx.data"))
    (tmp_path / "best.onnx.data").write_bytes(b"1234")
    (tmp_path / "labels.txt").write_text("a\nb")
    for other in ("best.pt", "data.yaml", "epoch1.onnx", "other.data"):
        (tmp_path / other).write_bytes(b"not this")
    (tmp_path / "train").mkdir()
    assert sent(path) == {"model.onnx": graph("best.onnx.data"), "best.onnx.data": b"1234", "labels.txt": b"a\nb"}
    (tmp_path / "epoch1.onnx").unlink()
    assert set(sent(tmp_path)) == {"model.onnx", "best.onnx.data", "labels.txt"}


def test_a_graph_or_an_archive_alone_is_sent_as_it_is(tmp_path):
    path = tmp_path / "best.onnx"
    path.write_bytes(graph())
    assert sent(path) == {}
    (tmp_path / "best.zip").write_bytes(b"PK\x03\x04 and more")
    (tmp_path / "labels.txt").write_text("a")
    assert sent(tmp_path / "best.zip") == {}


def test_a_folder_is_the_graph_of_its_highest_version_or_the_only_one(tmp_path):
    triton = tmp_path / "triton"
    for version in ("2", "10"):
        (triton / version).mkdir(parents=True)
        (triton / version / "model.onnx").write_bytes(graph("model.onnx.data"))
        (triton / version / "model.onnx.data").write_text(version)
    (triton / "config.pbtxt").write_text('output { name: "y" label_filename: "coco.txt" }')
    (triton / "coco.txt").write_text("cat")
    (triton / "model.yaml").write_text("name: mine")
    found = sent(triton)
    assert (found["model.onnx.data"], found["labels.txt"]) == (b"10", b"cat")
    assert set(found) == {"model.onnx", "model.onnx.data", "config.pbtxt", "labels.txt", "model.yaml"}

    face = tmp_path / "hugging-face"
    (face / "onnx").mkdir(parents=True)
    (face / "onnx/model.onnx").write_bytes(graph())
    (face / "config.json").write_text("{}")
    assert set(sent(face)) == {"model.onnx", "config.json"}

    with pytest.raises(AditError, match="neither an ONNX file"):
        sent(tmp_path)
    for name in ("a.onnx", "b.onnx"):
        (tmp_path / name).write_bytes(graph())
    with pytest.raises(AditError, match="several ONNX files"):
        sent(tmp_path)


@pytest.mark.parametrize("location", ["../secret", "/etc/hostname", "a/../../secret", "..\\secret", "link", "a\0b"])
def test_weights_outside_of_the_folder_are_refused_whichever_way_they_are_reached(tmp_path, location):
    (tmp_path / "secret").write_text("key")
    folder = tmp_path / "model"
    (folder / "a").mkdir(parents=True)
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "best.onnx").write_bytes(graph(location))
    with pytest.raises(AditError, match="outside of the model's folder"):
        sent(folder / "best.onnx")


def test_weights_that_are_missing_are_named(tmp_path):
    (tmp_path / "best.onnx").write_bytes(graph("best.onnx.data"))
    with pytest.raises(AditError, match="'best.onnx.data', which is missing"):
        sent(tmp_path / "best.onnx")
    (tmp_path / "best.onnx.data").mkdir()
    with pytest.raises(AditError, match="no file"):
        sent(tmp_path / "best.onnx")
