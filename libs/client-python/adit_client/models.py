"""Models of one's own."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Optional, Union

from .errors import AditError
from .frames import label_frame, prediction_frame
from .packing import packed
from .pictures import PathLike, Picture, content_of, picture_part
from .transport import Transport
from .types import Canary, Model, Prediction

if TYPE_CHECKING:
    import pandas

    from .client import AditClient

#: Seconds: a model is checked and run before it is answered.
CHECKING = 600.0


class Seen(Prediction):
    """What a model says of one picture."""

    def frame(self) -> pandas.DataFrame:
        """One row a box, in fractions of the picture. Needs pandas."""
        return prediction_frame(self.results)


class AddedModel(Model):
    """A model, its version that was added, and what that said of the photo it was tried on."""

    added_version: int
    tried: Optional[Seen] = None


class TriedVersion(Canary):
    """A version that looks beside the one that is used, and how the two differ."""

    def frame(self) -> pandas.DataFrame:
        """One row a label: what both saw, and what one alone did. Needs pandas."""
        return label_frame(self.labels)


class Models:
    def __init__(self, client: AditClient, transport: Transport) -> None:
        self._client = client
        self._transport = transport

    def add(
        self,
        file: PathLike,
        *,
        name: Optional[str] = None,
        labels: Union[None, PathLike, Iterable[str]] = None,
        try_on: Optional[Picture] = None,
        **said: Union[str, int, float, Iterable[float]],
    ) -> AddedModel:
        """Adds an ONNX file, or that of a folder or an archive, as a version of the model ``name``.

        What belongs to it goes along: the files that its weights lie in, as PyTorch writes them, and what exporters write beside
        it (``labels.txt``, ``config.json``, ``preprocessor_config.json`` …), which other files of its folder do not.

        ``name`` is that of the file without its ending, unless given. ``labels`` is a file with one a line, or a list. Else
        ``said`` has what neither the file nor its exporter tells: ``colour="bgr"``, ``mean=[103.5, 116.3, 123.7]``, ``std``,
        ``resize``, ``size``, ``family``, ``decoding``, ``licence``, ``changelog``, ``scope`` … What is missing is thrown as
        AditApiError, whose ``errors`` name the arguments. The new version is asked about the photo ``try_on`` at once.

        Needs a key with the role admin. A name means its newest version until one is promoted.
        """
        path = os.fspath(file)
        stem = os.path.splitext(os.path.basename(os.path.abspath(path)))[0]
        fields = {"name": name or stem, **{key: _text(value) for key, value in said.items()}}
        if labels is not None:
            fields["labels"] = _labels(labels)
        with packed(path) as sent, open(sent, "rb") as content:

            def body() -> dict[str, Any]:
                content.seek(0)
                return {"data": fields, "files": {"file": (os.path.basename(sent), content)}}

            reply = self._transport.send("POST", "/v1/models/", body=body, repeatable=False, timeout=CHECKING)
        answer = reply.json()
        model = Model.model_validate(answer)
        version = model.latest_version.version_number
        tried = None if try_on is None else self.predict(model, try_on, version=version)
        return AddedModel.model_validate({**answer, "added_version": version, "tried": tried})

    def list(self) -> list[Model]:
        """Those that a job may name."""
        return [Model.model_validate(each) for each in self._client.request("GET /v1/models/")]

    def get(self, model: Union[Model, str]) -> Model:
        """A model by its name or id. Throws AditError when there is none."""
        asked = model if isinstance(model, str) else model.id
        # Models that a job may name, including galleries; else one that only analyses use.
        for kind in (None, "network"):
            for each in self._client.request("GET /v1/models/", query={"kind": kind}):
                if asked in (each["id"], each["name"]):
                    return Model.model_validate(each)
        raise AditError(f"There is no model {asked}.")

    def predict(
        self,
        model: Union[Model, str],
        picture: Picture,
        *,
        version: Optional[int] = None,
        module: Optional[str] = None,
        **arguments: Any,
    ) -> Seen:
        """What the model says of one picture, at once: what a job would find. A name may say its version: ``helmets@2``.

        ``module`` is the one that it was made for unless given; ``arguments`` are that module's, such as ``min_confidence``.
        """
        if isinstance(model, str) and "@" in model:
            model, _, number = model.partition("@")
            version = self.get(model).latest_version.version_number if number == "latest" else int(number)
        entry = self.get(model) if isinstance(model, str) else model
        fields = {"version": version, "module": module, "arguments": json.dumps(arguments)}
        data = {key: value for key, value in fields.items() if value is not None}
        files = picture_part(picture, address="file_uri", file="file")
        # It only looks, so it may be sent twice.
        reply = self._transport.send(
            "POST", f"/v1/models/{entry.id}/predict/", body=lambda: {"data": data, "files": files}, repeatable=True
        )
        return Seen.model_validate(reply.json())

    def promote(self, model: Union[Model, str], version: int) -> Model:
        """Makes a version the one that the name means; an earlier one to roll back. Jobs that were posted keep theirs."""
        return Model.model_validate(self._change(model, version, "promote"))

    def retire(self, model: Union[Model, str], version: int) -> None:
        """Offers a version to no more jobs."""
        self._change(model, version, "retire")

    def start_canary(self, model: Union[Model, str], version: int, *, share: float) -> TriedVersion:
        """Has a version look at a share (0..1) of what jobs look at with the one that the name means, after they were answered.

        No job waits for it or shows what it saw. Done again with the same version it changes the share.
        """
        body = {"version": version, "share": share}
        return self._tried(model, "POST /v1/models/{modelId}/canary/", json=body)

    def canary(self, model: Union[Model, str]) -> TriedVersion:
        """How the version that is tried differs, by label, in latency, and where most: of the one that runs, else of the last."""
        return self._tried(model, "GET /v1/models/{modelId}/canary/")

    def promote_canary(self, model: Union[Model, str]) -> TriedVersion:
        """Makes the version that is tried the one that the name means."""
        return self._tried(model, "POST /v1/models/{modelId}/canary/promote/")

    def drop_canary(self, model: Union[Model, str]) -> TriedVersion:
        """Tries the version no more; it stays a version of the model."""
        return self._tried(model, "POST /v1/models/{modelId}/canary/drop/")

    def canary_picture(self, model: Union[Model, str], picture_id: str) -> bytes:
        """A picture of ``canary(model).differing_pictures``, as JPEG."""
        return self._transport.send(
            "GET", f"/v1/models/{self.get(model).id}/canary/pictures/{picture_id}/", repeatable=True
        ).content

    def _tried(self, model: Union[Model, str], operation: str, **sent: Any) -> TriedVersion:
        if not operation.startswith("GET"):
            # Done twice it is as done once.
            sent["idempotency_key"] = os.urandom(16).hex()
        path = {"modelId": self.get(model).id}
        return TriedVersion.model_validate(self._client.request(operation, path=path, **sent))

    def delete(self, model: Union[Model, str]) -> None:
        """Takes the model from the workspace."""
        self._client.request("DELETE /v1/models/{modelId}/", path={"modelId": self.get(model).id})

    def _change(self, model: Union[Model, str], version: int, verb: str) -> Any:
        operation = f"POST /v1/models/{{modelId}}/versions/{{version}}/{verb}/"
        # Done twice it is as done once.
        key = os.urandom(16).hex()
        path = {"modelId": self.get(model).id, "version": version}
        return self._client.request(operation, path=path, idempotency_key=key)


def _text(value: Union[str, int, float, Iterable[float]]) -> str:
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _labels(labels: Union[PathLike, Iterable[str]]) -> str:
    if isinstance(labels, (str, os.PathLike)):
        return content_of(labels).decode("utf-8-sig")
    return "\n".join(labels)
