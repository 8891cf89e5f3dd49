"""Galleries: people that jobs are to recognise."""

from __future__ import annotations

import os
import secrets
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Union

from .errors import AditError, AditTimeoutError
from .progress import ProgressLine, until_ended
from .types import Dataset, DatasetImport, DatasetImportError, Model, Training

if TYPE_CHECKING:
    from .client import AditClient

PICTURES = frozenset({".jpg", ".jpeg", ".png"})
ENDED = frozenset({"completed", "failed", "stopped"})
POLL = 0.5


@dataclass(frozen=True)
class Gallery:
    #: Jobs name it: ``{"face_recognition": {"model": gallery.model.name}}``.
    model: Model
    #: The photos, by person. They stay with the service until it is deleted.
    dataset: Dataset
    #: What was left out of the training and why (``report.left_out``), and how well people were told apart.
    training: Training
    #: Files that were no pictures the service can read.
    errors: list[DatasetImportError]


class Galleries:
    def __init__(self, client: AditClient) -> None:
        self._client = client

    def build(
        self,
        folder: Union[str, "os.PathLike[str]"],
        name: Optional[str] = None,
        *,
        timeout: Optional[float] = None,
        progress: Optional[bool] = None,
        **config: int,
    ) -> Gallery:
        """Teaches the people of a folder: ``Ada Lovelace/*.jpg`` for each, or one ``Ada Lovelace.jpg``.

        The photos become a dataset of the service, which is trained; a model of that name gets a version more. ``name`` is that
        of the folder unless given. ``config``: ``min_face_size``, ``sharpness_threshold``. Throws AditError with the reason
        when nothing can be made of them, AditTimeoutError after ``timeout`` seconds. Unless a training was begun that may still
        end, nothing of it stays with the service then.
        """
        path = os.fspath(folder)
        model_name = name or os.path.basename(os.path.abspath(path))
        photos = list(_photos(path))
        if not photos:
            raise ValueError(f"{path} has no folders with pictures, and no pictures (.jpg, .png).")
        end = None if timeout is None else time.monotonic() + timeout
        line = ProgressLine(progress)
        try:
            dataset = self._dataset(model_name)
            try:
                done = self._import(dataset.id, photos, end, line)
                training_id = self._begin_training(dataset.id, model_name, config)
            except BaseException:
                # Nobody knows of it, and another try makes one of its own. An import that is under way ends with it.
                self._forget(dataset.id)
                raise
            operation = "GET /v1/trainings/{trainingId}/"
            training = Training.model_validate(
                self._ended(operation, {"trainingId": training_id}, end, line, "training")
            )
        finally:
            line.end()
        if training.output_model is None:
            self._forget(dataset.id)
            raise AditError(f"The training {training.state}: {training.error}")
        listed = self._client.items(
            "GET /v1/datasets/{datasetId}/imports/{importId}/errors/",
            path={"datasetId": dataset.id, "importId": done.id},
        )
        errors = [DatasetImportError.model_validate(each) for each in listed]
        trained = Dataset.model_validate(
            self._client.request("GET /v1/datasets/{datasetId}/", path={"datasetId": dataset.id})
        )
        return Gallery(model=training.output_model, dataset=trained, training=training, errors=errors)

    def _dataset(self, name: str) -> Dataset:
        body = {"name": name, "type": "face"}
        key = secrets.token_urlsafe(24)
        return Dataset.model_validate(self._client.request("POST /v1/datasets/", json=body, idempotency_key=key))

    def _import(
        self, dataset_id: str, photos: list[tuple[str, str]], end: Optional[float], line: ProgressLine
    ) -> DatasetImport:
        with tempfile.TemporaryDirectory(prefix="adit-gallery-") as folder:
            archive = os.path.join(folder, f"{dataset_id}.zip")
            with zipfile.ZipFile(archive, "w", strict_timestamps=False) as file:
                for photo, name in photos:
                    file.write(photo, name)
            entry = self._client.storage.upload(archive, folder="/python")
        try:
            posted = self._client.request(
                "POST /v1/datasets/{datasetId}/imports/",
                path={"datasetId": dataset_id},
                json={"file_uri": entry.url},
                idempotency_key=secrets.token_urlsafe(24),
            )
            path = {"datasetId": dataset_id, "importId": posted["id"]}
            operation = "GET /v1/datasets/{datasetId}/imports/{importId}/"
            done = DatasetImport.model_validate(self._ended(operation, path, end, line, "importing"))
        except AditTimeoutError as error:
            raise AditTimeoutError("The photos were not imported in time; nothing of them stays.") from error
        finally:
            # The pictures are files of their own by now, or go with the dataset.
            self._client.storage.delete(entry.id)
        if done.state != "completed":
            raise AditError(f"The import {done.state}: {done.error_msg}")
        return done

    def _begin_training(self, dataset_id: str, name: str, config: dict[str, int]) -> str:
        order = {"source_dataset_id": dataset_id, "output_model_name": name, "config": config}
        key = secrets.token_urlsafe(24)
        posted = self._client.request("POST /v1/trainings/", json=order, idempotency_key=key)
        return str(posted["id"])

    def _forget(self, dataset_id: str) -> None:
        """Why it is forgotten is what is thrown."""
        with suppress(AditError):
            self._client.request("DELETE /v1/datasets/{datasetId}/", path={"datasetId": dataset_id})

    def _ended(
        self, operation: str, path: dict[str, Any], end: Optional[float], line: ProgressLine, what: str
    ) -> dict[str, Any]:
        def look(left: float) -> dict[str, Any]:
            now: dict[str, Any] = self._client.request(operation, path=path)
            line.say(what, now["progress"])
            if now["state"] not in ENDED:
                time.sleep(min(POLL, left))
            return now

        timeout = None if end is None else max(0.0, end - time.monotonic())
        return until_ended(look, lambda now: now["state"] in ENDED, timeout=timeout, what=f"The {what}")


def _photos(folder: str) -> Iterator[tuple[str, str]]:
    """Each picture's path, and its name in the archive: in a folder of its person."""
    for entry in sorted(os.scandir(folder), key=lambda each: each.name):
        stem, ending = os.path.splitext(entry.name)
        if entry.is_file() and ending.lower() in PICTURES:
            yield entry.path, f"{stem}/{entry.name}"
        elif entry.is_dir() and not entry.name.startswith("."):
            for photo in sorted(os.scandir(entry.path), key=lambda each: each.name):
                if photo.is_file() and os.path.splitext(photo.name)[1].lower() in PICTURES:
                    yield photo.path, f"{entry.name}/{photo.name}"
