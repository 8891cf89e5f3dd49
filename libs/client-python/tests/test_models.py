import shutil

import pytest

from adit_client import AditApiError, AditError

PIXELS = {"colour": "rgb", "mean": 128, "std": [4, 4, 4], "resize": "crop", "filter": "antialiased"}
COLOURS = ["reddish", "greenish", "bluish"]


def test_a_folder_is_a_model_with_what_belongs_to_it(adit, media, tmp_path):
    folder = tmp_path / "colours"
    folder.mkdir()
    shutil.copy(media / "colours.onnx", folder / "model.onnx")
    (folder / "labels.txt").write_text("\n".join(COLOURS))
    model = adit.models.add(folder, family="classifier", try_on=media / "site.jpg", **PIXELS)
    assert (model.name, model.added_version, model.family, model.labels) == ("colours", 1, "classifier", COLOURS)
    frame = model.tried.frame()
    assert list(frame.columns) == ["label", "confidence", "type", "x", "y", "w", "h"]
    assert set(frame["label"]) <= set(COLOURS) and len(frame) > 0
    photo = (media / "site.jpg").read_bytes()
    address = adit.storage.upload(media / "site.jpg", folder="/models").url
    assert adit.models.predict("colours@1", photo) == model.tried
    assert adit.models.predict("colours@latest", address) == model.tried
    with pytest.raises(AditApiError) as caught:
        adit.models.predict(model, photo, min_confidence=101)
    assert [each.pointer for each in caught.value.errors] == ["/arguments/min_confidence"]
    adit.models.delete("colours")
    with pytest.raises(AditError, match="There is no model colours"):
        adit.models.get("colours")


def test_labels_are_a_list_as_well(adit, media):
    model = adit.models.add(media / "colours.onnx", name="tones", labels=COLOURS, family="classifier", **PIXELS)
    assert (model.labels, model.tried) == (COLOURS, None)


def test_a_graph_is_named_alone_and_brings_the_weights_beside_it(adit, media, tmp_path):
    for name in ("best.onnx", "best.onnx.data"):
        shutil.copy(media / "outside" / name, tmp_path / name)
    (tmp_path / "labels.txt").write_text("\n".join(COLOURS))
    (tmp_path / "last.pt").write_bytes(b"not this")
    model = adit.models.add(tmp_path / "best.onnx", family="classifier", **PIXELS)
    assert (model.name, model.family, model.labels) == ("best", "classifier", COLOURS)
    adit.models.delete("best")
