import time

import pytest

from adit_client import AditApiError, AditClient, AditConnectionError


def test_lists_give_nothing_twice_while_jobs_arrive(adit, monkeypatch):
    monkeypatch.setattr("adit_client.client.PAGE", 2)

    def post():
        return adit.jobs.create(["https://example.org/a.jpg"], {"face_recognition": {}}, tag="arriving").id

    before = [post() for _ in range(5)]
    found = []
    for job in adit.jobs.list(tag="arriving"):
        found.append(job.id)
        if len(found) < 4:
            post()
    assert found == before[::-1]


def test_errors_name_every_field_that_is_wrong(adit):
    with pytest.raises(AditApiError) as caught:
        adit.jobs.create(["https://example.org/a.jpg"], {"face_recognition": {}}, priority=99, ttl=-1)
    error = caught.value
    assert (error.status, error.code) == (400, "VALIDATION")
    assert sorted(each.pointer for each in error.errors) == ["/priority", "/ttl"]
    for each in error.errors:
        assert f"  {each.pointer}: {each.message}" in str(error)
    assert error.request_id


def test_a_wrong_key_and_an_unknown_id_are_what_they_are(adit):
    with AditClient(api_key="wrong") as stranger, pytest.raises(AditApiError) as caught:
        stranger.jobs.get("00000000-0000-4000-8000-000000000000")
    assert caught.value.status == 401
    with pytest.raises(AditApiError) as caught:
        adit.jobs.get("00000000-0000-4000-8000-000000000000")
    assert (caught.value.status, caught.value.code) == (404, "NOT_FOUND")


def test_nobody_at_the_address():
    with AditClient("http://127.0.0.1:9", "key", retries=0) as client, pytest.raises(AditConnectionError):
        client.models.list()


def test_what_only_reads_is_asked_again_when_the_service_says(troubled):
    troubled.plan = ["refuse", 0]
    began = time.monotonic()
    with AditClient(troubled.url) as client:
        assert any(model.name == "general-c" for model in client.models.list())
    assert time.monotonic() - began >= 1


def test_what_would_happen_twice_is_not_sent_again(adit, troubled):
    tag = "once alone"
    troubled.plan = ["deaf", "deaf", "deaf"]
    with AditClient(troubled.url) as client, pytest.raises(AditConnectionError):
        client.jobs.create(["https://example.org/a.jpg"], {"face_recognition": {}}, tag=tag)
    assert len(list(adit.jobs.list(tag=tag))) <= 1


def test_a_first_request_that_is_still_being_answered_is_no_refusal():
    errors = [{"pointer": "", "code": "in_progress", "message": "It is still being answered."}]
    plain = AditApiError(409, {"code": "CONFLICT", "errors": []})
    assert [AditApiError(409, {"errors": errors}).is_in_progress, plain.is_in_progress] == [True, False]


def test_a_key_makes_twice_the_same_as_once(adit, troubled):
    tag = "with a key"
    troubled.plan = ["deaf"]
    with AditClient(troubled.url) as client:
        job = client.jobs.create(
            ["https://example.org/a.jpg"], {"face_recognition": {}}, tag=tag, idempotency_key="python"
        )
    assert [each.id for each in adit.jobs.list(tag=tag)] == [job.id]
    adit.jobs.delete(job)
