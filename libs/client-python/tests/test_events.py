import pytest

from adit_client import AditApiError, AditClient
from adit_client.events import event_blocks

TAGS = ["line\u2028one", "two", "three"]


def test_follows_the_workspace_over_a_connection_that_breaks(adit, troubled):
    troubled.plan = ["told"]
    places = []

    def post(tag):
        adit.jobs.create(["https://example.invalid/none.jpg"], {"face_recognition": {}}, tag=tag)

    def at_place(place):
        if not places:
            post(TAGS[0])
        places.append(place)

    ended = []
    with AditClient(troubled.url) as client:
        for told in client.events(on_place=at_place):
            assert told.id == places[-1]
            tag = told.data.get("job", {}).get("tag")
            if tag not in TAGS:
                continue
            if told.event == "svc.job.on_started":
                continue
            ended.append((told.event, tag))
            if len(ended) == len(TAGS):
                break
            post(TAGS[len(ended)])
    assert ended == [("svc.job.on_failed", tag) for tag in TAGS]
    assert places == sorted(places, key=int)


def test_says_what_cannot_be_gone_on_after(adit):
    with pytest.raises(AditApiError) as caught:
        next(adit.events(after="999999999"))
    assert caught.value.status == 412


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_reads_blocks_however_they_are_cut(size):
    text = 'retry: 1\n\nid: 7\n\n: beat\n\nid:8\r\nevent: e\r\ndata: {"a":\r\ndata:  "\u2028"}\r\n\r\nid: 9\ndata: not whole'
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert list(event_blocks(pieces)) == [{"id": "7"}, {"id": "8", "event": "e", "data": '{"a":\n "\u2028"}'}]
