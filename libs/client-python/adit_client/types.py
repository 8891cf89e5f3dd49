"""What the service answers. Written from docs/api/openapi.json by generate-python.ts; not to be edited."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, Optional, Union

from pydantic import BaseModel, ConfigDict


class Answer(BaseModel):
    """Answers may have more members one day: they are kept, and values of enumerations that are new are taken."""

    model_config = ConfigDict(extra="allow", protected_namespaces=())


JobState = Union[Literal["waiting", "processing", "completed", "stopped", "failed"], str]


class JobModule(Answer):
    state: JobState
    progress: float


MediaType = Union[Literal["image", "video", "audio", "videostream", "pdf", "xml"], str]


class MediaInfoGapsItem(Answer):
    time_start: float
    time_end: float


class MediaInfoAudioTracksItem(Answer):
    track: int
    language: Optional[str]
    channels: int


class MediaInfo(Answer):
    fps: Optional[float] = None
    #: Width and height in pixels
    resolution: Optional[list[float]] = None
    total_frames: Optional[float] = None
    #: Seconds, gaps between pictures included
    duration: Optional[float] = None
    #: Where its clock goes on without pictures, as in a broken recording, for longer than a segment bridges; of more
    #: than 50 the longest. Left out where there are none
    gaps: Optional[list[MediaInfoGapsItem]] = None
    #: How many there are in all
    gap_count: Optional[int] = None
    #: Seconds of all of them together: no sum of screen time counts them
    gap_seconds: Optional[float] = None
    #: Of films with several tracks of sound: what `audio_track` of `speech_recognition` takes
    audio_tracks: Optional[list[MediaInfoAudioTracksItem]] = None


class ResultSummaryItem(Answer):
    type: str
    label: str
    module: str


class ResultSummary(Answer):
    source: str
    #: Name of the file: as it was uploaded, or the last part of its path or address
    source_name: str
    media_type: MediaType
    info: MediaInfo
    items: list[ResultSummaryItem]


class JobResult(Answer):
    detailed_link: str
    summary: list[ResultSummary]


class JobWebhook(Answer):
    events: list[str]
    callback: str


class ModelPin(Answer):
    name: str
    version: int
    digest: str
    #: Only where it is asked to calculate in float16, as far as its graph can; left out for float32
    precision: Optional[Union[Literal["float16"], str]] = None


class JobProvenanceModulesValue(Answer):
    models: list[ModelPin]


class JobProvenanceAnalysesItemMadeByItem(Answer):
    engine_version: Optional[str]
    #: What the models ran on: `cpu`, `cuda`, `webgpu`; two where some could not run on the first
    providers: Optional[list[str]]


class JobProvenanceAnalysesItem(Answer):
    analysis: str
    #: Equal for two jobs exactly when they must see the same in the same media
    digest: str
    decoder_version: int
    #: The networks that looked, in their exact versions
    models: list[ModelPin]
    #: Those that stand on it
    modules: list[str]
    #: Who looked, each once: several after an upgrade, or where some of it was known. Null where earlier engines did
    #: not say
    made_by: list[JobProvenanceAnalysesItemMadeByItem]


class JobProvenance(Answer):
    #: By module, as posted: the galleries, landmark models and networks that it was given
    modules: dict[str, JobProvenanceModulesValue]
    analyses: list[JobProvenanceAnalysesItem]


class Job(Answer):
    id: str
    tag: str
    state: JobState
    errors: list[str]
    progress: float
    duration: float
    time_created: datetime
    time_started: Optional[datetime]
    time_completed: Optional[datetime]
    #: All of them where one job is asked for; the first 100 in lists and webhooks, as in `result.summary`
    sources: list[str]
    #: Of `sources`, in their order
    source_names: list[str]
    source_count: int
    #: Where the job is read as a whole
    link: str
    modules: dict[str, JobModule]
    media_type: MediaType
    ttl: Optional[int]
    priority: int
    #: Id of the batch it belongs to
    batch: Optional[str]
    result: JobResult
    webhook: Optional[JobWebhook]
    #: Where one job that has ended is read, and in results.json; it holds of cached results too
    provenance: Optional[JobProvenance] = None


DetailedResultMediaType = Union[Literal["video", "image", "audio", "videostream"], str]


class Detection(Answer):
    frame_index: int
    type: str
    data: dict[str, float]


class Thumbnail(Answer):
    image: str
    meta: dict[str, Any]


class DetailedResult(Answer):
    media_type: DetailedResultMediaType
    frame_start: Optional[float]
    frame_end: Optional[float]
    time_start: float
    time_end: float
    tc_start: str
    tc_end: str
    source: str
    #: Name of the file: as it was uploaded, or the last part of its path or address
    source_name: str
    module: str
    meta: dict[str, Any]
    detections: list[Detection]
    thumbnail: Optional[Thumbnail]


class SummarizedResult(Answer):
    id: str
    source: str
    #: Name of the file: as it was uploaded, or the last part of its path or address
    source_name: str
    module: str
    type: str
    meta: dict[str, float]


class Artifact(Answer):
    id: str
    filename: str
    mime_type: Optional[str]
    time_created: datetime
    time_expiration: datetime
    export_id: Optional[str] = None
    job_id: Optional[str] = None


class StorageEntry(Answer):
    id: int
    url: Optional[str]
    file_size: Optional[int]
    name: str
    uploaded: bool
    upload_failed: bool
    is_image: bool
    is_folder: bool


DatasetType = Union[Literal["face", "landmark"], str]


class DatasetEvaluation(Answer):
    #: Classes by the gender most of their faces look like
    gender_statistics: Optional[dict[str, int]] = None


IssueLevel = Union[Literal["error", "warning"], str]


class IssueImage(Answer):
    class_id: str
    image_id: str


class DatasetIssue(Answer):
    level: IssueLevel
    code: str
    message: str
    number_of_images: int
    #: The first of them
    images: list[IssueImage]


class DatasetIssues(Answer):
    has_error: bool
    has_warning: bool
    reasons: list[DatasetIssue]


class Dataset(Answer):
    id: str
    name: str
    description: str
    type: DatasetType
    #: Grows with each change of the dataset, its classes or images
    version: int
    time_created: datetime
    time_updated: datetime
    number_of_classes: int
    number_of_active_classes: int
    number_of_images: int
    #: Active images of active classes
    number_of_active_images: int
    #: The first image of each of the first three classes
    preview_images: list[str]
    evaluation_result: DatasetEvaluation
    #: The part of its images that has been evaluated
    evaluation_state: float
    issues: DatasetIssues


class ModelVersion(Answer):
    version_number: int
    time_created: datetime
    changelog: str
    #: The dataset it was trained with, as it was when the training was posted; null when it was installed as files, or
    #: the training was deleted
    source_dataset: Optional[Dataset]
    #: SHA-256 of its files and of what decides how they are used: jobs keep it
    digest: str
    #: What was measured when it was made or added
    metrics: Optional[dict[str, float]]


ModelKind = Union[Literal["face", "landmark", "object", "text"], str]


ModelScope = Union[Literal["workspace", "installation"], str]


SidePart = Union[Literal["size", "ones"], str]


ImageInputLayout = Union[Literal["nchw", "nhwc"], str]


ImageInputColour = Union[Literal["rgb", "bgr", "grey"], str]


ImageInputResize = Union[Literal["letterbox", "stretch", "crop"], str]


ResizeFilter = Union[Literal["nearest", "bilinear", "antialiased", "bicubic"], str]


ImageInputPadAt = Union[Literal["centre", "corner"], str]


class ImageInputPad(Answer):
    value: float
    at: ImageInputPadAt


class ImageInput(Answer):
    tensor: str
    width: int
    height: int
    also: Optional[dict[str, SidePart]] = None
    openWidth: Optional[bool] = None
    layout: ImageInputLayout
    batch: Optional[bool] = None
    colour: ImageInputColour
    #: Default: [0,0,0]
    mean: list[float]
    #: Default: [1,1,1]
    std: list[float]
    resize: Optional[ImageInputResize] = None
    shorterSide: Optional[int] = None
    floorCrop: Optional[bool] = None
    filter: Optional[ResizeFilter] = None
    pad: Optional[ImageInputPad] = None


class Model(Answer):
    id: str
    name: str
    description: str
    #: Those that are installed, by number
    versions: list[ModelVersion]
    latest_version: ModelVersion
    type: ModelKind
    #: Modules that take it in `model`
    modules: list[str]
    #: It comes with Adit, and cannot be changed or deleted
    is_public: bool
    time_created: datetime
    time_updated: datetime
    custom_fields: list[dict[str, Any]]
    #: What its name alone means: the promoted version, else the highest
    default_version: int
    #: Who sees it: this workspace alone, or all of the installation
    scope: ModelScope
    task: str
    #: How a network that jobs name is used; null for others
    family: Optional[str]
    licence: str
    origin: str
    #: How pictures become its input
    input: Optional[ImageInput]
    #: Those of the default version
    labels: Optional[list[str]]


class PredictionResultsItem(Answer):
    type: str
    label: str
    #: Or similarity, 0..1
    confidence: float
    #: As in detailed results of the module
    meta: dict[str, Any]
    detections: list[Detection]


class Prediction(Answer):
    #: As results call it
    module: str
    #: Of the picture as displayed, in pixels
    width: int
    height: int
    results: list[PredictionResultsItem]
    #: What looked at the picture and named what was seen, in their exact versions
    models: list[ModelPin]


CanaryState = Union[Literal["running", "promoted", "dropped", "ended"], str]


class CanaryUnits(Answer):
    compared: int
    #: Not looked at again: there was more than could be, or the process ended
    skipped: int
    #: Of which the candidate gave no answer
    failed: int
    last_error: Optional[str]


class CanaryPictures(Answer):
    compared: int
    #: In which one of the two saw what the other did not
    differing: int


class CanaryLabel(Answer):
    #: Empty for words that jobs looked for
    label: str
    both: int
    only_stable: int
    only_candidate: int


class RunLatency(Answer):
    #: Pictures that were run
    rows: int
    mean_seconds: float
    p50_seconds: float
    p95_seconds: float


class CanaryLatency(Answer):
    stable: Optional[RunLatency]
    candidate: Optional[RunLatency]


class CanarySightingBox(Answer):
    x: float
    y: float
    w: float
    h: float


class CanarySighting(Answer):
    label: str
    #: The network’s own, 0..1
    score: float
    #: In fractions of the picture; null for what is said of the whole of it
    box: Optional[CanarySightingBox]


class CanaryPicture(Answer):
    #: Of /v1/models/{id}/canary/pictures/{picture_id}/
    id: str
    job_id: str
    frame: int
    #: Seconds from the beginning of the source
    time: float
    #: Sum of the scores of what one alone saw
    difference: float
    stable: list[CanarySighting]
    candidate: list[CanarySighting]


class Canary(Answer):
    #: Another one for each time that a version is tried
    id: str
    state: CanaryState
    #: Why it ended; null for any other state
    reason: Optional[str]
    #: The candidate
    version: int
    #: The one whose answers clients got
    stable_version: int
    share: float
    time_created: datetime
    time_ended: Optional[datetime]
    #: Parts of films, and photos, of the share
    units: CanaryUnits
    pictures: CanaryPictures
    #: Part of what either saw that both saw, 0..1; null before anything was
    agreement: Optional[float]
    #: Those that differ most first, at most 1000
    labels: list[CanaryLabel]
    #: Of one picture in the network, while both ran
    latency: CanaryLatency
    #: Where they differ most in media of this workspace, the worst first
    differing_pictures: list[CanaryPicture]


TaskState = Union[Literal["waiting", "processing", "completed", "failed"], str]


class DatasetImport(Answer):
    id: str
    dataset_id: str
    file_uri: Optional[str]
    folder: Optional[str]
    state: TaskState
    progress: float
    #: Why all of it failed; what was imported before stays
    error_msg: Optional[str]
    #: That it has to do with; 0 until it has begun
    number_of_files: int
    #: That it made
    number_of_images: int
    #: That it made
    number_of_classes: int
    #: Files that it could not import: a list of their own says why
    number_of_errors: int
    time_created: datetime
    time_started: Optional[datetime]
    time_completed: Optional[datetime]
    #: When this record goes; what was imported stays
    time_expiration: Optional[datetime]


class DatasetImportError(Answer):
    #: Its path, or its line of the CSV
    file: str
    code: str
    message: str


class TrainingConfig(Answer):
    #: Pixels of the smallest side of a face; default 80
    min_face_size: Optional[int] = None
    #: Least quality of a face, lower is blurrier; default 40
    sharpness_threshold: Optional[int] = None


LeftOutReason = Union[Literal["outlier", "duplicate", "no_face", "several_faces", "too_small", "too_blurred", "unreadable", "another_person", "another_place"], str]


class LeftOutImage(Answer):
    class_id: str
    image_id: str
    reason: LeftOutReason


class ClosePair(Answer):
    class_id: str
    other_class_id: str
    #: Least distance of a photo of one to the other
    distance: float
    #: Photos held out that were nearer to the other class
    confused: int


class TrainingReport(Answer):
    number_of_classes: int
    number_of_images: int
    #: The first 1000 of them
    left_out: list[LeftOutImage]
    number_left_out: int
    #: Distance up to which a picture is named without giving any of the dataset the name of another class
    threshold: float
    held_out: int
    named_right: int
    named_wrong: int
    #: Photos of classes that were asked of the others, which had never seen them
    unseen: Optional[int] = None
    #: Those of them that got a name
    unseen_named: Optional[int] = None
    #: At most 10
    closest_pairs: Optional[list[ClosePair]] = None


class Training(Answer):
    id: str
    type: DatasetType
    source_dataset_id: str
    #: As it was when the training was posted
    source_dataset: Dataset
    output_model_name: str
    output_model_description: str
    output_model_changelog: str
    config: TrainingConfig
    state: TaskState
    error: str
    progress: float
    #: Seconds
    duration: float
    time_created: datetime
    time_started: Optional[datetime]
    time_completed: Optional[datetime]
    #: Null until the training is completed
    output_model: Optional[Model]
    report: Optional[TrainingReport]


class ProblemError(Answer):
    pointer: str
    code: str
    message: str
    #: The resource that is in the way
    existing: Optional[dict[str, Any]] = None
