import os

import httpx
import pytest

from adit_client import AditClient, AditConnectionError

SIZE = 3_000_000


@pytest.fixture
def large(tmp_path):
    path = tmp_path / "large.bin"
    path.write_bytes(os.urandom(SIZE))
    return path


def test_a_file_outlives_broken_connections(adit, troubled, large, tmp_path):
    # The first is for the beginning, which goes through; then two that break.
    troubled.plan = [200_000, 1_000_000, 900_000]
    seen = []
    with AditClient(troubled.url) as client:
        entry = client.storage.upload(
            large, folder="/broken", on_progress=lambda sent, total: seen.append((sent, total))
        )
    assert (entry.name, entry.file_size, entry.uploaded) == ("large.bin", SIZE, True)
    assert seen[-1] == (SIZE, SIZE)
    # It was told again from where the service stood, not from the beginning.
    steps_back = [after for (before, _), (after, _) in zip(seen, seen[1:]) if after < before]
    assert steps_back and all(after > 0 for after in steps_back)
    adit.storage.download(entry.id, tmp_path / "back.bin")
    assert (tmp_path / "back.bin").read_bytes() == large.read_bytes()
    assert [each.name for each in adit.storage.list("/broken")] == ["large.bin"]
    assert adit.storage.usage().uploads >= entry.file_size


def test_it_goes_on_in_another_process(adit, troubled, large, tmp_path):
    begun = []
    troubled.plan = [900_000]
    with AditClient(troubled.url) as client, pytest.raises(AditConnectionError):
        client.storage.upload(large, folder="/later", on_begun=begun.append, patience_seconds=0)
    other = tmp_path / "other.bin"
    other.write_bytes(b"short")
    with pytest.raises(ValueError, match="is of a file of 3000000 bytes; this one has 5"):
        adit.storage.upload(other, resume=begun[0])
    sent = []
    entry = adit.storage.upload(large, resume=begun[0], on_progress=lambda at, _: sent.append(at))
    assert entry.id == begun[0] and entry.uploaded
    assert sent[0] > 256 * 1024
    adit.storage.delete(entry.id)


def test_an_upload_that_is_given_up_is_gone(adit, troubled, large):
    begun = []
    troubled.plan = [900_000]
    with AditClient(troubled.url) as client, pytest.raises(AditConnectionError):
        client.storage.upload(large, folder="/given-up", on_begun=begun.append, patience_seconds=0)
    adit.storage.abandon(begun[0])
    assert adit.storage.list("/given-up") == []


def test_half_a_download_is_no_file(tmp_path):
    def half():
        yield b"half"
        raise httpx.ReadError("cut")

    http = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, content=half())))
    (tmp_path / "before.bin").write_bytes(b"whole")
    with AditClient(http=http) as client, pytest.raises(AditConnectionError):
        client.storage.download(1, tmp_path / "before.bin")
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("before.bin", b"whole")]
