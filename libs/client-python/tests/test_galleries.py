import os

import pytest

from adit_client import AditApiError


def test_people_of_a_folder_are_recognised(adit, media):
    # Files out of a container image may have this time; a zip knows no year before 1980.
    os.utime(media / "people/Audrey/1.jpg", (0, 0))
    gallery = adit.galleries.build(media / "people", "newsroom", timeout=300)
    assert (gallery.model.name, gallery.model.type) == ("newsroom", "face")
    assert gallery.dataset.number_of_classes == 2
    assert gallery.training.report.number_of_images >= 2
    assert [error.file for error in gallery.errors] == ["Audrey/torn.jpg"]
    assert adit.models.get("newsroom").id == gallery.model.id
    job = adit.jobs.run(media / "franck.jpg", {"face_recognition": {"model": "newsroom"}})
    assert set(adit.jobs.frame(job)["label"]) == {"Franck"}
    # The archive was a way in and no more.
    assert not [entry for entry in adit.storage.list("/python") if entry.name.endswith(".zip")]


def test_a_folder_without_pictures_is_said_before_anything_is_made(adit, tmp_path):
    with pytest.raises(ValueError, match="has no folders with pictures"):
        adit.galleries.build(tmp_path)


def test_what_cannot_be_trained_leaves_nothing_behind(adit, media):
    with pytest.raises(AditApiError) as caught:
        adit.galleries.build(media / "people", "nothing-stays", min_face_size=-1)
    assert caught.value.code == "VALIDATION"
    assert "nothing-stays" not in [dataset["name"] for dataset in adit.items("GET /v1/datasets/")]
