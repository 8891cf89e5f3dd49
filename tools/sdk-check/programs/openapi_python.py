"""What openapi-python-client made: a photo is uploaded, mined, and its results are read as types."""

import sys

from adit_client import AuthenticatedClient
from adit_client.api.jobs import post_jobs
from adit_client.api.models import get_models
from adit_client.api.results import get_jobs_by_job_id_detailed_results
from adit_client.api.storage import post_storage
from adit_client.models import DetailedResultPage, Job, JobRequest, JobState, Model, StorageEntry, StorageForm
from adit_client.types import File

url, key, photo = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key, prefix="Key", timeout=90)

with open(photo, "rb") as file:
    form = StorageForm(file=File(payload=file, file_name="photo.jpg"), folder="/openapi-python")
    entry = post_storage.sync(client=client, body=form)
assert isinstance(entry, StorageEntry) and isinstance(entry.url, str), entry

order = JobRequest.from_dict({"sources": [entry.url], "modules": {"face_recognition": {"cluster_unknowns": True}}})
job = post_jobs.sync(client=client, body=order, prefer="wait=60", idempotency_key="openapi-python")
assert isinstance(job, Job) and job.state is JobState.JOB_STATE_COMPLETED, job
page = get_jobs_by_job_id_detailed_results.sync(job.id, client=client)
assert isinstance(page, DetailedResultPage) and page.total > 0, page
assert all(detection.data["w"] > 0 for segment in page.data for detection in segment.detections)
models = get_models.sync(client=client)
assert isinstance(models, list) and all(isinstance(model, Model) for model in models), models
print(f"{page.total} segments of job {job.id}, begun {job.time_started:%H:%M}, {len(models)} models")
