import sys

import httpx
import pandas
import pytest

from adit_client import AditApiError, AditClient, AditTimeoutError
from adit_client.frames import COLUMNS

OBJECTS = {"object_scene_recognition": {"min_confidence": 50}}


@pytest.fixture(scope="module")
def looked(adit, media):
    """A job of a photo of this machine, and how far it was each time somebody looked."""
    seen = []
    job = adit.jobs.run(media / "site.jpg", OBJECTS, tag="python", on_progress=lambda now: seen.append(now.state))
    return job, seen


def test_a_file_of_this_machine_is_mined(looked, adit, media):
    job, seen = looked
    assert (job.state, job.errors) == ("completed", [])
    assert seen[-1] == "completed"
    assert job.sources[0].startswith("storage://")
    assert adit.storage.uploaded[job.sources[0]] == str(media / "site.jpg")


def test_results_are_a_table(looked, adit, media):
    frame = adit.jobs.frame(looked[0])
    assert list(frame.columns[: len(COLUMNS)]) == COLUMNS
    assert "person" in set(frame["label"])
    assert set(frame["source"]) == {str(media / "site.jpg")}
    assert frame["confidence"].between(0.5, 1).all()
    boxes = adit.jobs.boxes(looked[0])
    assert len(boxes) == frame["detections"].sum() > 0
    assert boxes[["x", "y", "w", "h"]].stack().between(0, 1).all()
    assert (boxes["label"] == frame["label"].loc[boxes["segment"]].to_numpy()).all()


def test_an_empty_table_has_its_columns(looked, adit):
    assert list(adit.jobs.frame(looked[0], label="unicorn").columns) == COLUMNS
    assert isinstance(adit.jobs.summary(looked[0]), pandas.DataFrame)


def test_tables_say_what_they_need(looked, adit, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"adit-client\[pandas\]"):
        adit.jobs.frame(looked[0])
    assert len(list(adit.jobs.detailed_results(looked[0]))) > 0


def test_waiting_has_an_end_and_the_job_goes_on(adit, media):
    job = adit.jobs.create([adit.storage.upload(media / "site.mp4", folder="/wait").url], OBJECTS)
    with pytest.raises(AditTimeoutError):
        adit.jobs.wait(job, timeout=0)
    assert adit.jobs.stop(job).id == job.id
    assert adit.jobs.wait(job, timeout=60, progress=True).state in ("stopped", "completed")
    adit.jobs.delete(job)


def test_a_service_that_does_not_wait_is_not_asked_without_pause(looked, adit):
    running = {**adit.request("GET /v1/jobs/{jobId}/", path={"jobId": looked[0].id}), "state": "processing"}
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers.get("prefer"))
        return httpx.Response(200, json=running)

    with AditClient(http=httpx.Client(transport=httpx.MockTransport(answer))) as client:
        with pytest.raises(AditTimeoutError):
            client.jobs.wait(looked[0], timeout=1.5)
    assert asked[0] == "wait=1"
    assert len(asked) <= 5


def test_progress_is_shown_where_it_is_asked_for(looked, adit, capsys):
    adit.jobs.wait(looked[0], progress=True)
    assert "100%" in capsys.readouterr().err
    adit.jobs.wait(looked[0], progress=False)
    assert capsys.readouterr().err == ""


def test_a_photo_is_compared_with_nobody_where_no_faces_are_kept(adit, media):
    for photo in (media / "site.jpg", (media / "site.jpg").read_bytes()):
        with pytest.raises(AditApiError) as caught:
            list(adit.search_by_photo(photo, said="budget", together=10))
        assert caught.value.status == 409 and "/v1/retention/" in str(caught.value)
