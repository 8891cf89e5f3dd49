"""What openapi-generator made for Python: a photo is uploaded, mined, and its results are read as types."""

import sys
from pathlib import Path

import adit_sdk
from adit_sdk.models import JobState

url, key, photo = sys.argv[1:]
configuration = adit_sdk.Configuration(host=url, api_key={"apiKey": key}, api_key_prefix={"apiKey": "Key"})
with adit_sdk.ApiClient(configuration) as client:
    content = Path(photo).read_bytes()
    entry = adit_sdk.StorageApi(client).post_storage(("photo.jpg", content), folder="/python")
    assert entry.file_size == len(content) and entry.url is not None, entry
    order = adit_sdk.JobRequest(sources=[entry.url], modules={"face_recognition": {"cluster_unknowns": True}})
    job = adit_sdk.JobsApi(client).post_jobs(order, prefer="wait=60", idempotency_key="python")
    assert job.state == JobState.JOB_STATE_COMPLETED, job
    page = adit_sdk.ResultsApi(client).get_jobs_by_job_id_detailed_results(job.id)
    assert isinstance(page, adit_sdk.DetailedResultPage) and page.total > 0, page
    assert all(detection.data["w"] > 0 for segment in page.data for detection in segment.detections)
    models = adit_sdk.ModelsApi(client).get_models_page(limit=10)
    same = adit_sdk.StorageApi(client).get_storage_by_storage_id_file(entry.id)
    assert bytes(same) == content
    print(f"{page.total} segments of job {job.id}, begun {job.time_started:%H:%M}, {models.total} models")
