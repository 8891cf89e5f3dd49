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
    #: State of the module within the job
    state: JobState
    #: From 0 to 1
    progress: float


MediaType = Union[Literal["image", "video", "audio", "videostream", "pdf", "xml"], str]


class MediaInfoGapsItem(Answer):
    #: Seconds from the start of the source
    time_start: float
    #: Seconds from the start of the source
    time_end: float


class MediaInfoAudioTracksItem(Answer):
    #: Number of the track, from 0
    track: int
    #: Language stated by the file; null if not stated
    language: Optional[str]
    #: Channels of sound
    channels: int


class MediaInfo(Answer):
    #: Frames a second
    fps: Optional[float] = None
    #: Width and height in pixels
    resolution: Optional[list[float]] = None
    #: Frames of the film
    total_frames: Optional[float] = None
    #: Seconds, gaps between pictures included
    duration: Optional[float] = None
    #: Where its clock goes on without pictures, as in a broken recording, for longer than a segment bridges; of more
    #: than 50 the longest. Left out where there are none
    gaps: Optional[list[MediaInfoGapsItem]] = None
    #: Their total number
    gap_count: Optional[int] = None
    #: Seconds of all of them together: no sum of screen time counts them
    gap_seconds: Optional[float] = None
    #: Sound tracks of a film with several: values for `audio_track` of `speech_recognition`
    audio_tracks: Optional[list[MediaInfoAudioTracksItem]] = None


class ResultSummaryItem(Answer):
    #: Kind of what was found, such as `face`, `object` or `lower_third`
    type: str
    #: Label of the result
    label: str
    #: Module that found it, as results call it
    module: str


class ResultSummary(Answer):
    #: The source, as posted
    source: str
    #: Name of the file: as it was uploaded, or the last part of its path or address
    source_name: str
    #: Kind of the source
    media_type: MediaType
    #: Facts about a film; empty for other sources
    info: MediaInfo
    #: Results, each label once
    items: list[ResultSummaryItem]


class JobResult(Answer):
    #: Address of the detailed results
    detailed_link: str
    #: Results by source; empty until there are any
    summary: list[ResultSummary]


class JobWebhook(Answer):
    #: Names of events: `job.<event>` of the job, `job.<module>.<event>` of one of its modules
    events: list[str]
    #: http(s) address that they are posted to
    callback: str


class ModelPin(Answer):
    #: Name of the model
    name: str
    #: Number of its version
    version: int
    #: SHA-256 of its files and of what decides how they are used
    digest: str
    #: Only where it is asked to calculate in float16, as far as its graph can; left out for float32
    precision: Optional[Union[Literal["float16"], str]] = None


class JobProvenanceModulesValue(Answer):
    #: The models that the module was given, in their exact versions
    models: list[ModelPin]


class JobProvenanceAnalysesItemMadeByItem(Answer):
    #: Release of the engine; null where earlier engines did not say
    engine_version: Optional[str]
    #: Execution providers of its models: `cpu`, `cuda`, `webgpu`; two if some models could not run on the first
    providers: Optional[list[str]]


class JobProvenanceAnalysesItem(Answer):
    #: Name of the analysis
    analysis: str
    #: Equal for two jobs exactly when they must see the same in the same media
    digest: str
    #: Version of the decoder that made its pictures or sound
    decoder_version: int
    #: The networks that looked, in their exact versions
    models: list[ModelPin]
    #: Modules that use it
    modules: list[str]
    #: Who looked, each once: several after an upgrade, or where some of it was known. Null where earlier engines did
    #: not say
    made_by: list[JobProvenanceAnalysesItemMadeByItem]


class JobProvenance(Answer):
    #: By module, as posted: the galleries, landmark models and networks that it was given
    modules: dict[str, JobProvenanceModulesValue]
    #: Analyses of the media
    analyses: list[JobProvenanceAnalysesItem]


class Job(Answer):
    #: Id of the job
    id: str
    #: Text of your own; empty where none was given
    tag: str
    #: `waiting`, then `processing` until it is `completed`, `stopped` or `failed`
    state: JobState
    #: Errors so far as text for people, such as a source that cannot be read
    errors: list[str]
    #: From 0 to 1; of a live stream 0 until it has ended
    progress: float
    #: Seconds from its start to its end, or until now
    duration: float
    #: When it was posted
    time_created: datetime
    #: When its first source was opened; null before
    time_started: Optional[datetime]
    #: When it ended; null before
    time_completed: Optional[datetime]
    #: All of them where one job is asked for; the first 100 in lists and webhooks, as in `result.summary`. A live
    #: stream without user name, password and query
    sources: list[str]
    #: Names of `sources`, in the same order
    source_names: list[str]
    #: Number of its sources, also if `sources` is shortened
    source_count: int
    #: Address of the whole job
    link: str
    #: By module as posted: its arguments with their defaults, its state and its progress
    modules: dict[str, JobModule]
    #: Guessed when it is posted, corrected before `processing`
    media_type: MediaType
    #: Seconds after its end at which it is deleted; null: never
    ttl: Optional[int]
    #: 0 to 9, higher goes first
    priority: int
    #: Number of the programme of its transport streams that is mined alone; left out where none was asked for
    program: Optional[int] = None
    #: Id of the batch it belongs to; null: none
    batch: Optional[str]
    #: To be removed in version 2: read the detailed results and the summarized results instead
    result: JobResult
    #: Address of the gaps of its live stream; left out of other jobs
    gaps: Optional[str] = None
    #: Address of the recording of its live stream; left out where there is none
    recording: Optional[str] = None
    #: Seconds after which the next job goes on with its live stream; null: never. Left out of other jobs
    rotate_seconds: Optional[int] = None
    #: Id of the job that had its live stream before; null: none, or it was deleted. Left out of other jobs
    previous_part: Optional[str] = None
    #: Id of the job that goes on with its live stream; null: none so far, or it was deleted. Left out of other jobs
    next_part: Optional[str] = None
    #: Timecode of the master at the first frame of the source, `HH:MM:SS:FF` or `HH:MM:SS;FF` in drop-frame: exports
    #: for editing count from it; left out: the timecode of the file
    start_timecode: Optional[str] = None
    #: Frames a second that `start_timecode` counts: 23.976, 24, 25, 29.97, 30, 47.952, 48, 50, 59.94, 60; left out: the
    #: frame rate of the source
    timecode_rate: Optional[float] = None
    #: Reel or tape name of the master, at most 64 characters; left out: made of the file's name
    reel: Optional[str] = None
    #: Address of the master, as a URI or a UMID, which exports for editing name instead of the source
    master: Optional[str] = None
    #: Receiver of its events; null for none
    webhook: Optional[JobWebhook]
    #: Included when one ended job is read, and in results.json; it covers cached results too
    provenance: Optional[JobProvenance] = None


DetailedResultMediaType = Union[Literal["video", "image", "audio", "videostream"], str]


class Detection(Answer):
    #: Frame that it is seen in, counted as in `frame_start`
    frame_index: int
    #: Kind of `data`, such as `face_bbox`
    type: str
    #: For a box: `x`, `y`, `w` and `h` as fractions of the frame, 0 to 1
    data: dict[str, float]


class Thumbnail(Answer):
    #: JPEG in base64
    image: str
    #: `width` and `height` in pixels
    meta: dict[str, Any]


class DetailedResult(Answer):
    #: Kind of the source; pages of a document are images
    media_type: DetailedResultMediaType
    #: First frame that shows it, from 0; of images their index in the job, of documents the page, null of sound
    frame_start: Optional[float]
    #: Last frame that shows it, inclusive and counted as in `frame_start`
    frame_end: Optional[float]
    #: Seconds from the start of the source; 0 of images
    time_start: float
    #: Seconds from the start of the source; 0 of images
    time_end: float
    #: SMPTE timecode of the start, `HH:MM:SS:FF`, or `HH:MM:SS;FF` in drop-frame
    tc_start: str
    #: SMPTE timecode of the end, in the same form
    tc_end: str
    #: Wall clock of the start; of live streams alone
    time_of_day: Optional[datetime] = None
    #: The source, as posted
    source: str
    #: Name of the file: as it was uploaded, or the last part of its path or address
    source_name: str
    #: Module that found it, as results call it
    module: str
    #: Result in the fields of the module
    meta: dict[str, Any]
    #: Places by frame, at most 1000
    detections: list[Detection]
    #: Picture of it; null where there is none
    thumbnail: Optional[Thumbnail]


class SummarizedResult(Answer):
    #: Id of the result
    id: str
    #: The source, as posted
    source: str
    #: Name of the file: as it was uploaded, or the last part of its path or address
    source_name: str
    #: Module that found it, as results call it
    module: str
    #: Kind of summary, such as `gender_count` or `person_screen_time`
    type: str
    #: Number by category: a count, or seconds
    meta: dict[str, float]


class Artifact(Answer):
    #: Id of the file
    id: str
    #: Name of the file
    filename: str
    #: Its media type; null where it is not known
    mime_type: Optional[str]
    #: When it was made
    time_created: datetime
    #: When it is deleted: a week after it was made
    time_expiration: datetime
    #: Export that made it; left out of others
    export_id: Optional[str] = None
    #: Job that made it; left out of others
    job_id: Optional[str] = None


class StorageEntry(Answer):
    #: Id of the entry
    id: int
    #: storage:// address that jobs take; null for folders
    url: Optional[str]
    #: Bytes; null for folders
    file_size: Optional[int]
    #: Name of the file; of a folder its full path
    name: str
    #: Whether all of it is stored; always true for folders
    uploaded: bool
    #: Whether its upload broke off for good
    upload_failed: bool
    #: Whether it is a picture, by its content
    is_image: bool
    #: Whether it is a folder
    is_folder: bool


class StorageUse(Answer):
    #: Bytes that files, transcripts and recordings may have together; null: no limit
    limit: Optional[int]
    #: Bytes that they have, uploads under way included with their whole length
    used: int
    #: Bytes that are left, 0 after the limit was lowered below `used`; null: no limit
    free: Optional[int]
    #: Bytes of `used` that uploaded files have
    uploads: int
    #: Bytes of `used` that transcripts have
    transcripts: int
    #: Bytes of `used` that recordings of live streams have
    recordings: int


DatasetType = Union[Literal["face", "landmark"], str]


class DatasetEvaluation(Answer):
    #: Classes by the gender most of their faces look like
    gender_statistics: Optional[dict[str, int]] = None


IssueLevel = Union[Literal["error", "warning"], str]


class IssueImage(Answer):
    #: Class that the image is of
    class_id: str
    #: Id of the image
    image_id: str


class DatasetIssue(Answer):
    #: `error`: a training would fail; `warning`: it goes on
    level: IssueLevel
    #: Kind of fault, in one word for programs
    code: str
    #: Description of the fault for people
    message: str
    #: Number of images concerned; 0 if it concerns classes
    number_of_images: int
    #: The first of them
    images: list[IssueImage]


class DatasetIssues(Answer):
    #: Whether one of the reasons is an error
    has_error: bool
    #: Whether one of the reasons is a warning
    has_warning: bool
    #: All that is wrong
    reasons: list[DatasetIssue]


class Dataset(Answer):
    #: Id of the dataset
    id: str
    #: Name of the dataset
    name: str
    #: Description by its owner; may be empty
    description: str
    #: `face` trains models of people only, `landmark` of landmarks only
    type: DatasetType
    #: Grows with each change of the dataset, its classes or images
    version: int
    #: When it was created
    time_created: datetime
    #: When it, its classes or images were changed last
    time_updated: datetime
    #: Classes in it
    number_of_classes: int
    #: Classes that trainings take
    number_of_active_classes: int
    #: Images in all classes
    number_of_images: int
    #: Active images of active classes
    number_of_active_images: int
    #: The first image of each of the first three classes
    preview_images: list[str]
    #: Summary of the evaluated images; empty before
    evaluation_result: DatasetEvaluation
    #: The part of its images that has been evaluated
    evaluation_state: float
    #: Its problems
    issues: DatasetIssues


class ModelVersion(Answer):
    #: Number of the version, from 1
    version_number: int
    #: When it was first seen here
    time_created: datetime
    #: Changes; may be empty
    changelog: str
    #: The dataset it was trained with, as it was when the training was posted; null when it was installed as files, or
    #: the training was deleted
    source_dataset: Optional[Dataset]
    #: SHA-256 of its files and of what decides how they are used: jobs keep it
    digest: str
    #: Measurements from its training or import
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
    #: Brightness of the bars, 0 to 255
    value: float
    #: Position of the picture; default `centre`
    at: ImageInputPadAt


class ImageInput(Answer):
    #: Name of the graph's input
    tensor: str
    #: In pixels
    width: int
    #: In pixels
    height: int
    #: Its other inputs by name, as D-FINE has `orig_target_sizes` and DETR `pixel_mask`, and what each is given
    also: Optional[dict[str, SidePart]] = None
    #: The graph takes any width, and callers give each row its own; `width` is then what it is tried with
    openWidth: Optional[bool] = None
    #: Order of the dimensions: channels before height and width, or behind them; default `nchw`
    layout: ImageInputLayout
    #: False: its graph takes one picture of three dimensions, and gives what it says of it, without that of a batch
    batch: Optional[bool] = None
    #: Order of the colours; default `rgb`
    colour: ImageInputColour
    #: Subtracted from values of 0..255, one for all channels or one for each. Default: [0,0,0]
    mean: list[float]
    #: Divisor of the difference, one for all channels or one for each. Default: [1,1,1]
    std: list[float]
    #: How a picture gets the input's shape: bars beside it (`letterbox`, as without), pulled to it (`stretch`), or what
    #: is beyond it cut off (`crop`)
    resize: Optional[ImageInputResize] = None
    #: With `crop`: pixels of the picture's shorter side before its middle is cut out; the input's longer side without
    shorterSide: Optional[int] = None
    #: With `crop`: what is cut out begins at the pixel before where its middle is between two, as Hugging Face's own
    #: code has it; without, at the even one, as torchvision
    floorCrop: Optional[bool] = None
    #: Whose resizing the network was trained with. With it photos are looked at as they are and every pixel is as the
    #: exporter's code makes it; without, shrunk to the mean of samples, from frames that other networks share
    filter: Optional[ResizeFilter] = None
    #: With `letterbox`: what the bars are filled with, black without, and whether the picture is in the centre or top
    #: left
    pad: Optional[ImageInputPad] = None


class Model(Answer):
    #: Id of the model, the same in every installation unless it is of one workspace alone
    id: str
    #: Name in jobs
    name: str
    #: Description by the workspace, else by the model itself
    description: str
    #: Installed versions, by number
    versions: list[ModelVersion]
    #: The version with the highest number
    latest_version: ModelVersion
    #: Its subject: faces of people, landmarks, things and scenes, or text
    type: ModelKind
    #: Modules that take it in `model`
    modules: list[str]
    #: It comes with Adit, and cannot be changed or deleted
    is_public: bool
    #: When it was first seen here
    time_created: datetime
    #: When a version was added or its description changed last
    time_updated: datetime
    #: Objects of your own, kept as they are
    custom_fields: list[dict[str, Any]]
    #: Version used without a number: the promoted one, else the highest
    default_version: int
    #: Who sees it: this workspace alone, or all of the installation
    scope: ModelScope
    #: Its task, such as `face-gallery`
    task: str
    #: Kind of a network that jobs can name; null for others
    family: Optional[str]
    #: Its licence, as it states it
    licence: str
    #: Its stated origin
    origin: str
    #: Conversion of pictures to its input
    input: Optional[ImageInput]
    #: Labels of the default version
    labels: Optional[list[str]]


class PredictionResultsItem(Answer):
    #: Kind of what was found, such as `face` or `object`
    type: str
    #: Label of the result
    label: str
    #: Or similarity, 0..1
    confidence: float
    #: Fields of the module's detailed results
    meta: dict[str, Any]
    #: Places in the picture
    detections: list[Detection]


class Prediction(Answer):
    #: Name in results
    module: str
    #: In pixels, as displayed
    width: int
    #: In pixels, as displayed
    height: int
    #: Results
    results: list[PredictionResultsItem]
    #: Exact versions of the models used
    models: list[ModelPin]


CanaryState = Union[Literal["running", "promoted", "dropped", "ended"], str]


class CanaryUnits(Answer):
    #: Units that both versions looked at
    compared: int
    #: Not looked at again: there was more than could be, or the process ended
    skipped: int
    #: Pictures on which the candidate failed
    failed: int
    #: Why the candidate last gave no answer; null when it never failed
    last_error: Optional[str]


class CanaryPictures(Answer):
    #: Pictures that both versions looked at
    compared: int
    #: In which one of the two saw what the other did not
    differing: int


class CanaryLabel(Answer):
    #: Empty for words that jobs looked for
    label: str
    #: Times that both said it
    both: int
    #: Times that the version in use alone said it
    only_stable: int
    #: Times that the candidate alone said it
    only_candidate: int


class RunLatency(Answer):
    #: Pictures that were run
    rows: int
    #: Mean, in seconds
    mean_seconds: float
    #: Median, in seconds
    p50_seconds: float
    #: 95th percentile, in seconds
    p95_seconds: float


class CanaryLatency(Answer):
    #: Latency of the version in use; null before it ran
    stable: Optional[RunLatency]
    #: Latency of the candidate; null before it ran
    candidate: Optional[RunLatency]


class CanarySightingBox(Answer):
    #: Left edge, as a fraction of the width
    x: float
    #: Upper edge, as a fraction of the height
    y: float
    #: Width, as a fraction of the width
    w: float
    #: Height, as a fraction of the height
    h: float


class CanarySighting(Answer):
    #: The detected label
    label: str
    #: The network’s own, 0..1
    score: float
    #: In fractions of the picture; null for what is said of the whole of it
    box: Optional[CanarySightingBox]


class CanaryPicture(Answer):
    #: Id for /v1/models/{id}/canary/pictures/{picture_id}/
    id: str
    #: Job whose media it is of
    job_id: str
    #: Frame number from the start of the source, from 0; 0 of a photo
    frame: int
    #: Seconds from the beginning of the source
    time: float
    #: Sum of the scores of what one alone saw
    difference: float
    #: Detections of the version in use
    stable: list[CanarySighting]
    #: Detections of the candidate
    candidate: list[CanarySighting]


class Canary(Answer):
    #: Another one for each time that a version is tried
    id: str
    #: `running` until it is `promoted`, `dropped` or `ended`
    state: CanaryState
    #: Why it ended; null for any other state
    reason: Optional[str]
    #: The candidate
    version: int
    #: The one whose answers clients got
    stable_version: int
    #: Part of the chunks that the candidate looks at as well, 0 to 1
    share: float
    #: When it was begun
    time_created: datetime
    #: When it ended; null while it runs
    time_ended: Optional[datetime]
    #: Parts of films, and photos, of the share
    units: CanaryUnits
    #: Numbers of compared and of differing pictures
    pictures: CanaryPictures
    #: Part of what either saw that both saw, 0..1; null before anything was
    agreement: Optional[float]
    #: Largest differences first, at most 1000
    labels: list[CanaryLabel]
    #: Latency of one picture in the network, while both ran
    latency: CanaryLatency
    #: Pictures of this workspace with the largest differences, worst first
    differing_pictures: list[CanaryPicture]


TaskState = Union[Literal["waiting", "processing", "completed", "failed"], str]


class DatasetImport(Answer):
    #: Id of the import
    id: str
    #: Dataset that the pictures go into
    dataset_id: str
    #: The storage:// address that it was given; null with a folder
    file_uri: Optional[str]
    #: The folder that it was given; null with a file
    folder: Optional[str]
    #: `waiting` and `processing` until it is `completed` or `failed`
    state: TaskState
    #: From 0 to 1
    progress: float
    #: Why all of it failed; what was imported before stays
    error_msg: Optional[str]
    #: Number of its files; 0 until it has begun
    number_of_files: int
    #: Number created
    number_of_images: int
    #: Number created
    number_of_classes: int
    #: Files that it could not import: a list of their own says why
    number_of_errors: int
    #: When it was asked for
    time_created: datetime
    #: When it began; null before
    time_started: Optional[datetime]
    #: When it ended; null before
    time_completed: Optional[datetime]
    #: When this record goes; what was imported stays
    time_expiration: Optional[datetime]


class DatasetImportError(Answer):
    #: Its path, or its line of the CSV
    file: str
    #: Kind of fault, in one word for programs
    code: str
    #: Description of the fault for people
    message: str


class TrainingConfig(Answer):
    #: Pixels of the smallest side of a face; default 80
    min_face_size: Optional[int] = None
    #: Least quality of a face, lower is blurrier; default 40
    sharpness_threshold: Optional[int] = None


LeftOutReason = Union[Literal["outlier", "duplicate", "no_face", "several_faces", "too_small", "too_blurred", "unreadable", "another_person", "another_place"], str]


class LeftOutImage(Answer):
    #: Class that the image is of
    class_id: str
    #: Id of the image
    image_id: str
    #: Why it was left out
    reason: LeftOutReason


class ClosePair(Answer):
    #: One class
    class_id: str
    #: The other class
    other_class_id: str
    #: Least distance of a photo of one to the other
    distance: float
    #: Photos held out that were nearer to the other class
    confused: int


class TrainingReport(Answer):
    #: Classes of the version
    number_of_classes: int
    #: Images that it was made of
    number_of_images: int
    #: The first 1000 of them
    left_out: list[LeftOutImage]
    #: Images that were left out in all
    number_left_out: int
    #: Distance up to which a picture is named without giving any of the dataset the name of another class
    threshold: float
    #: Photos held out of the trial
    held_out: int
    #: Number with the name of their class
    named_right: int
    #: Number with the name of another class
    named_wrong: int
    #: Photos of classes that were asked of the others, which had never seen them
    unseen: Optional[int] = None
    #: Number with a name
    unseen_named: Optional[int] = None
    #: At most 10
    closest_pairs: Optional[list[ClosePair]] = None


class Training(Answer):
    #: Id of the training
    id: str
    #: Type of the dataset
    type: DatasetType
    #: Id of the dataset
    source_dataset_id: str
    #: The dataset at the time of the request
    source_dataset: Dataset
    #: Model that gets a version
    output_model_name: str
    #: Purpose of the model
    output_model_description: str
    #: Changes in the version
    output_model_changelog: str
    #: Selection of faces
    config: TrainingConfig
    #: `waiting` and `processing` until it is `completed` or `failed`
    state: TaskState
    #: Why it failed; empty otherwise
    error: str
    #: From 0 to 1
    progress: float
    #: Seconds
    duration: float
    #: When it was posted
    time_created: datetime
    #: When it began; null before
    time_started: Optional[datetime]
    #: When it ended; null before
    time_completed: Optional[datetime]
    #: Null until the training is completed
    output_model: Optional[Model]
    #: Results; null until it is completed
    report: Optional[TrainingReport]


QuotaUseQuota = Union[Literal["storage_bytes", "upload_bytes", "transcript_bytes", "recording_bytes", "media_seconds_per_day", "media_seconds_per_month", "chunk_seconds_per_day", "chunk_seconds_per_month", "cpu_model_seconds_per_day", "cpu_model_seconds_per_month", "gpu_model_seconds_per_day", "gpu_model_seconds_per_month"], str]


class QuotaUse(Answer):
    #: Its name; `storage_bytes` is of everything that is stored
    quota: QuotaUseQuota
    #: The most that may be used
    limit: int
    #: What is used by now
    used: float
    #: What is left; 0 also where more is used than the quota allows
    left: float
    #: When it starts anew; null for bytes, which end with what is deleted
    time_reset: Optional[datetime]


class ProblemError(Answer):
    #: JSON Pointer into the body, or `?name` for a query parameter
    pointer: str
    #: Kind of fault, in one word for programs
    code: str
    #: Description of the fault for people
    message: str
    #: The resource that is in the way
    existing: Optional[dict[str, Any]] = None
    #: The quota that is used up
    quota: Optional[QuotaUse] = None
