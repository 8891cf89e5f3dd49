/* Written from docs/api/openapi.json by generate-schema.ts; not to be edited. */

export type AccessKey = {
  key: string;
  name: string;
  type: "jwt";
  scopes: AccessScope[];
  /** The exports that its export scopes reach; `transcript_export` is always one of them */
  export_strategies: ExportStrategy[];
  time_created: string;
};

export type AccessKeyChange = {
  name?: string;
  scopes?: AccessScope[];
  /** The exports that the export scopes reach beside `transcript_export`, which they always do */
  export_strategies?: ExportStrategy[];
};

export type AccessKeyPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: AccessKey[];
};

export type AccessKeyReplacement = {
  name: string;
  scopes: AccessScope[];
  /** The exports that the export scopes reach beside `transcript_export`, which they always do */
  export_strategies?: ExportStrategy[];
};

export type AccessKeyRequest = {
  name: string;
  type?: "jwt";
  scopes: AccessScope[];
  /** The exports that the export scopes reach beside `transcript_export`, which they always do */
  export_strategies?: ExportStrategy[];
};

export type AccessScope = "transcript.read" | "transcript.write" | "export.read" | "export.write";

export type ApiKey = {
  id: string;
  name: string;
  prefix: string;
  role: ApiKeyRole;
  /** Null: as the gateway is configured; 0: no limit */
  requests_per_second: number | null;
  /** Null: as the gateway is configured; 0: no limit */
  jobs_per_day: number | null;
  time_created: string;
  time_last_used: string | null;
  time_expires: string | null;
};

export type ApiKeyChange = {
  name?: string;
  role?: ApiKeyRole;
  /** Null: as the gateway is configured; 0: no limit */
  requests_per_second?: number | null;
  /** Null: as the gateway is configured; 0: no limit */
  jobs_per_day?: number | null;
};

export type ApiKeyPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: ApiKey[];
};

export type ApiKeyRequest = {
  name: string;
  role?: ApiKeyRole;
  /** Null: as the gateway is configured; 0: no limit */
  requests_per_second?: number | null;
  /** Null: as the gateway is configured; 0: no limit */
  jobs_per_day?: number | null;
};

export type ApiKeyRole = "owner" | "admin" | "member" | "reader";

export type ApiKeyRotation = {
  overlap_seconds?: number;
};

export type Artifact = {
  id: string;
  filename: string;
  mime_type: string | null;
  time_created: string;
  time_expiration: string;
  export_id?: string;
  job_id?: string;
};

export type ArtifactPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: Artifact[];
};

export type AttributeStatistics = {
  head_pose: HeadPoseStatistics;
};

export type AudioFacts = {
  kind: "audio";
  container: string;
  codec: string;
  duration: number;
  channels: number;
  sampleRate: number;
};

export type AudioStream = {
  stream: number;
  codec: string;
  channels: number;
  sampleRate: number;
  language?: string;
};

export type AuditActor = {
  kind: AuditActorKind;
  id: string;
  name: string;
};

export type AuditActorKind = "api-key" | "access-key";

export type AuditEntry = {
  id: number;
  time: string;
  actor: AuditActor;
  action: string;
  resource: string;
  resource_id: string | null;
  fields: string[];
  request_id: string;
};

export type AuditPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: AuditEntry[];
};

export type Batch = {
  id: string;
  name: string;
  description: string;
  parent: string | null;
  time_created: string;
  time_updated: string;
};

export type BatchFileResult = {
  file: string;
  success: boolean;
  error: string | null;
  batch: Batch | null;
};

export type BatchFilesForm = {
  files: Blob[];
  parent_id?: string;
  parent_name?: string;
};

export type BatchPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: Batch[];
};

export type BatchRequest = {
  name: string;
  description?: string;
  /** Id of the batch it lies in */
  parent?: string | null;
};

export type Box = {
  x: number;
  y: number;
  w: number;
  h: number;
};

export type Canary = {
  /** Another one for each time that a version is tried */
  id: string;
  state: CanaryState;
  /** Why it ended; null for any other state */
  reason: string | null;
  /** The candidate */
  version: number;
  /** The one whose answers clients got */
  stable_version: number;
  share: number;
  time_created: string;
  time_ended: string | null;
  /** Parts of films, and photos, of the share */
  units: CanaryUnits;
  pictures: CanaryPictures;
  /** Part of what either saw that both saw, 0..1; null before anything was */
  agreement: number | null;
  /** Those that differ most first, at most 1000 */
  labels: CanaryLabel[];
  /** Of one picture in the network, while both ran */
  latency: CanaryLatency;
  /** Where they differ most in media of this workspace, the worst first */
  differing_pictures: CanaryPicture[];
};

export type CanaryLabel = {
  /** Empty for words that jobs looked for */
  label: string;
  both: number;
  only_stable: number;
  only_candidate: number;
};

export type CanaryLatency = {
  stable: RunLatency | null;
  candidate: RunLatency | null;
};

export type CanaryPicture = {
  /** Of /v1/models/{id}/canary/pictures/{picture_id}/ */
  id: string;
  job_id: string;
  frame: number;
  /** Seconds from the beginning of the source */
  time: number;
  /** Sum of the scores of what one alone saw */
  difference: number;
  stable: CanarySighting[];
  candidate: CanarySighting[];
};

export type CanaryPictures = {
  compared: number;
  /** In which one of the two saw what the other did not */
  differing: number;
};

export type CanaryRequest = {
  /** The candidate: a version that the name does not mean */
  version: number;
  /** Part of the chunks that it runs on as well, 0..1 */
  share: number;
};

export type CanarySighting = {
  label: string;
  /** The network’s own, 0..1 */
  score: number;
  /** In fractions of the picture; null for what is said of the whole of it */
  box: CanarySightingBox | null;
};

export type CanarySightingBox = {
  x: number;
  y: number;
  w: number;
  h: number;
};

export type CanaryState = "running" | "promoted" | "dropped" | "ended";

export type CanaryUnits = {
  compared: number;
  /** Not looked at again: there was more than could be, or the process ended */
  skipped: number;
  /** Of which the candidate gave no answer */
  failed: number;
  last_error: string | null;
};

export type ClassChange = {
  label?: string;
  active?: boolean;
  notes?: string;
  expiration_date?: string | null;
  level?: number;
  custom_fields?: (Record<string, unknown>)[];
  reference?: string;
};

export type ClassEvaluation = {
  attribute_statistics?: AttributeStatistics;
};

export type ClassRequest = {
  label: string;
  /** Default: a UUID */
  reference?: string;
  active?: boolean;
  notes?: string;
  expiration_date?: string | null;
  level?: number;
  custom_fields?: (Record<string, unknown>)[];
};

export type ClockGaps = {
  count: number;
  seconds: number;
  longest: ClockGapsLongestItem[];
};

export type ClockGapsLongestItem = {
  from: number;
  to: number;
};

export type ClosePair = {
  class_id: string;
  other_class_id: string;
  /** Least distance of a photo of one to the other */
  distance: number;
  /** Photos held out that were nearer to the other class */
  confused: number;
};

export type CreatedAccessKey = {
  key: string;
  name: string;
  type: "jwt";
  scopes: AccessScope[];
  /** The exports that its export scopes reach; `transcript_export` is always one of them */
  export_strategies: ExportStrategy[];
  time_created: string;
  secret: string;
};

export type CreatedApiKey = {
  id: string;
  name: string;
  prefix: string;
  role: ApiKeyRole;
  /** Null: as the gateway is configured; 0: no limit */
  requests_per_second: number | null;
  /** Null: as the gateway is configured; 0: no limit */
  jobs_per_day: number | null;
  time_created: string;
  time_last_used: string | null;
  time_expires: string | null;
  key: string;
};

export type CreatedWorkspace = {
  id: string;
  name: string;
  /** Bytes its files and transcripts may have; null: as the gateway is configured, 0: no limit */
  storage_bytes: number | null;
  /** Bytes its files and transcripts have, uploads under way included */
  storage_used: number;
  /** Its share of the machines against other workspaces */
  weight: number;
  /** Whether what was seen in a film is kept for later jobs */
  observation_cache: boolean;
  time_created: string;
  /** Its first API key, of the role admin */
  key: string;
};

export type Dataset = {
  id: string;
  name: string;
  description: string;
  type: DatasetType;
  /** Grows with each change of the dataset, its classes or images */
  version: number;
  time_created: string;
  time_updated: string;
  number_of_classes: number;
  number_of_active_classes: number;
  number_of_images: number;
  /** Active images of active classes */
  number_of_active_images: number;
  /** The first image of each of the first three classes */
  preview_images: string[];
  evaluation_result: DatasetEvaluation;
  /** The part of its images that has been evaluated */
  evaluation_state: number;
  issues: DatasetIssues;
};

export type DatasetChange = {
  name?: string;
  description?: string;
};

export type DatasetClass = {
  id: string;
  /** The client’s own id, unique within the dataset */
  reference: string;
  label: string;
  /** Its first image */
  preview_image: DatasetImage | null;
  time_created: string;
  time_updated: string;
  /** By evaluator */
  time_evaluated: Record<string, string>;
  /** Inactive classes are left out of trainings */
  active: boolean;
  notes: string;
  /** From then on it is left out of trainings */
  expiration_date: string | null;
  level: number;
  number_of_images: number;
  custom_fields: (Record<string, unknown>)[];
  type: DatasetType;
  evaluation_result: ClassEvaluation;
};

export type DatasetClassPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: DatasetClass[];
};

export type DatasetEvaluation = {
  /** Classes by the gender most of their faces look like */
  gender_statistics?: Record<string, number>;
};

export type DatasetImage = {
  id: string;
  file_uri: string;
  time_created: string;
  time_updated: string;
  /** Inactive images are left out of trainings */
  active: boolean;
  notes: string;
  /** A job found it by its lower third */
  is_auto_generated: boolean;
  evaluation_result: ImageEvaluation;
};

export type DatasetImageForm = {
  file: Blob;
  active?: boolean;
  notes?: string;
};

export type DatasetImagePage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: DatasetImage[];
};

export type DatasetImport = {
  id: string;
  dataset_id: string;
  file_uri: string | null;
  folder: string | null;
  state: TaskState;
  progress: number;
  /** Why all of it failed; what was imported before stays */
  error_msg: string | null;
  /** That it has to do with; 0 until it has begun */
  number_of_files: number;
  /** That it made */
  number_of_images: number;
  /** That it made */
  number_of_classes: number;
  /** Files that it could not import: a list of their own says why */
  number_of_errors: number;
  time_created: string;
  time_started: string | null;
  time_completed: string | null;
  /** When this record goes; what was imported stays */
  time_expiration: string | null;
};

export type DatasetImportError = {
  /** Its path, or its line of the CSV */
  file: string;
  code: string;
  message: string;
};

export type DatasetImportErrorPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: DatasetImportError[];
};

export type DatasetImportPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: DatasetImport[];
};

export type DatasetImportRequest = {
  /** storage:// address of a zip with a folder for each class, of a dataset that was exported, or of a CSV */
  file_uri?: string;
  /** A folder of the storage with a folder for each class */
  folder?: string;
};

export type DatasetIssue = {
  level: IssueLevel;
  code: string;
  message: string;
  number_of_images: number;
  /** The first of them */
  images: IssueImage[];
};

export type DatasetIssues = {
  has_error: boolean;
  has_warning: boolean;
  reasons: DatasetIssue[];
};

export type DatasetPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: Dataset[];
};

export type DatasetReplacement = {
  name: string;
  description?: string;
};

export type DatasetRequest = {
  name: string;
  description?: string;
  type: DatasetType;
};

export type DatasetType = "face" | "landmark";

export type DetailedResult = {
  media_type: DetailedResultMediaType;
  frame_start: number | null;
  frame_end: number | null;
  time_start: number;
  time_end: number;
  tc_start: string;
  tc_end: string;
  source: string;
  /** Name of the file: as it was uploaded, or the last part of its path or address */
  source_name: string;
  module: string;
  meta: Record<string, unknown>;
  detections: Detection[];
  thumbnail: Thumbnail | null;
};

export type DetailedResultMediaType = "video" | "image" | "audio" | "videostream";

export type DetailedResultPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: DetailedResult[];
};

export type Detection = {
  frame_index: number;
  type: string;
  data: Record<string, number>;
};

export type Dictionary = {
  id: string;
  name: string;
  type: DictionaryType;
  language: DictionaryLanguage;
  time_created: string;
  is_public: boolean;
};

export type DictionaryChangeForm = {
  name?: string;
  /** any, auto, or a language by name (german) or code (de) */
  language?: string;
  /** text/plain: an entry a line. text/csv: a header with at least the columns source and target. UTF-8. */
  file?: Blob;
};

export type DictionaryForm = {
  name?: string;
  /** any, auto, or a language by name (german) or code (de) */
  language?: string;
  /** text/plain: an entry a line. text/csv: a header with at least the columns source and target. UTF-8. */
  file: Blob;
};

export type DictionaryLanguage = "any" | "amharic" | "arabic" | "azerbaijani" | "belarusian" | "bulgarian" | "bengali" | "catalan" | "czech" | "danish" | "german" | "greek" | "english" | "spanish" | "estonian" | "basque" | "persian" | "finnish" | "french" | "gujarati" | "hebrew" | "hindi" | "croatian" | "hungarian" | "armenian" | "icelandic" | "italian" | "japanese" | "georgian" | "kannada" | "korean" | "kurdish" | "lao" | "lithuanian" | "latvian" | "malayalam" | "marathi" | "malay" | "dutch" | "norwegian" | "odia" | "punjabi" | "polish" | "portuguese" | "romanian" | "russian" | "slovak" | "slovene" | "albanian" | "serbian" | "swedish" | "tamil" | "telugu" | "thai" | "tagalog" | "turkish" | "ukrainian" | "urdu" | "vietnamese" | "yoruba" | "chinese";

export type DictionaryPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: Dictionary[];
};

export type DictionaryReplacementForm = {
  name: string;
  /** any, auto, or a language by name (german) or code (de) */
  language?: string;
  /** text/plain: an entry a line. text/csv: a header with at least the columns source and target. UTF-8. */
  file?: Blob;
};

export type DictionaryType = "simple" | "map";

export type DiversityInfo = {
  gender_count: Record<string, number>;
  age_count: Record<string, number>;
  person_screen_time: Record<string, number>;
  gender_screen_time: Record<string, number>;
  age_screen_time: Record<string, number>;
  gender_speech_time: Record<string, number>;
  age_speech_time: Record<string, number>;
  name_to_speech_time: Record<string, number>;
};

export type DryRun = {
  media_type: string;
  modules: Record<string, PlannedModule>;
  sources: ProbedSource[];
  estimate: Estimate;
};

export type EndedTraining = {
  id: string;
  type: DatasetType;
  source_dataset_id: string;
  /** As it was when the training was posted */
  source_dataset: Dataset;
  output_model_name: string;
  output_model_description: string;
  output_model_changelog: string;
  config: TrainingConfig;
  state: TaskState;
  error: string;
  progress: number;
  /** Seconds */
  duration: number;
  time_created: string;
  time_started: string | null;
  time_completed: string | null;
  /** Model that got a version; null of a training that failed */
  output_model_id: string | null;
  output_model_version: number | null;
};

export type Erasure = {
  id: string;
  state: ErasureState;
  subject: ErasureSubject;
  /** What was removed so far, by kind */
  counts: Record<string, number>;
  requested_by: AuditActor;
  request_id: string;
  time_created: string;
  time_completed: string | null;
};

export type ErasurePage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: Erasure[];
};

export type ErasureRequest = {
  index_id?: string;
  dataset_id?: string;
  class_id?: string;
  file_uri?: string;
};

export type ErasureState = "processing" | "completed";

export type ErasureSubject = {
  index_id?: string;
  /** Identities that had been merged into it */
  merged?: string[];
  collection_name?: string;
  dataset_id?: string;
  class_id?: string;
  file_uri?: string;
};

export type Estimate = {
  media_seconds: number;
  pictures: number;
};

export type Export = {
  id: string;
  strategy: string;
  time_created: string;
  time_completed: string | null;
  state: TaskState;
  progress: number;
  error_msg: string | null;
  config: Record<string, unknown>;
};

export type ExportEventData = {
  export: Export;
};

export type ExportPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: Export[];
};

export type ExportRequest = {
  strategy: ExportStrategy;
  /** job_results_export: {job_id, format: json | csv | xlsx | zip}; transcript_export: {transcript_id, variant_id, version?, format: srt | vtt | ttml | txt | docx | json, underline_words?}; basic_dataset_export, coco_export: {dataset_id} */
  config: Record<string, unknown>;
};

export type ExportStrategy = "job_results_export" | "basic_dataset_export" | "coco_export" | "transcript_export";

export type FaceAttributes = {
  emotion: string | null;
  smile: boolean | null;
  eyeglasses: boolean | null;
  sunglasses: boolean | null;
  eyesopen: boolean | null;
  mouthopen: boolean | null;
  beard: boolean | null;
  mustache: boolean | null;
  /** Degrees */
  roll: number | null;
  /** Degrees */
  yaw: number | null;
  /** Degrees */
  pitch: number | null;
};

export type FaceClustering = "match" | "outlier" | "duplicate" | "no_face" | "several_faces" | "too_small" | "too_blurred" | "unreadable";

export type FaceComparison = {
  /** Whether the nearest face of b is at most max_distance from the face of a */
  same_person: boolean;
  /** 0..1 */
  similarity: number;
  /** Euclidean, of the embeddings, 0..2 */
  distance: number;
  /** The face of a: the largest one */
  face: PictureFace;
  /** The faces of b, the nearest first */
  matches: FaceComparisonMatchesItem[];
  /** The models that looked at the picture, in their exact versions */
  models: ModelPin[];
};

export type FaceComparisonForm = {
  /** Pixels of the picture's shorter side when it reaches the detector; more finds smaller faces. */
  face_detection_scale?: number;
  /** Two faces nearer than this are one person; 0..2. */
  max_distance?: number;
  a?: Blob;
  b?: Blob;
};

export type FaceComparisonMatchesItem = {
  same_person: boolean;
  /** 0..1 */
  similarity: number;
  /** Euclidean, of the embeddings, 0..2 */
  distance: number;
  face: PictureFace;
};

export type FaceDetection = {
  /** Of the picture as displayed, in pixels */
  width: number;
  height: number;
  /** The largest first; empty when there is none */
  faces: PictureFace[];
  /** The models that looked at the picture, in their exact versions */
  models: ModelPin[];
};

export type FaceDetectionForm = {
  /** Pixels of the picture's shorter side when it reaches the detector; more finds smaller faces. */
  face_detection_scale?: number;
  /** Of a picture: an uploaded file (storage://…), or an address on the web (https://…) */
  file_uri?: string;
  file?: Blob;
};

export type FaceSearch = {
  /** Of the picture as displayed, in pixels */
  width: number;
  height: number;
  /** The largest first; empty when there is none */
  faces: SearchedFace[];
  /** The models that looked at the picture, in their exact versions */
  models: ModelPin[];
};

export type FaceSearchForm = {
  /** Pixels of the picture's shorter side when it reaches the detector; more finds smaller faces. */
  face_detection_scale?: number;
  /** Two faces nearer than this are one person, 0..2; as a job has it when left out. */
  max_distance?: number;
  /** Name or id of a face gallery, as a job names it; the one that face_recognition takes when left out. */
  model?: string;
  /** Name of an index collection, in place of a gallery. */
  collection?: string;
  /** So many people nearest to each face. */
  top_k?: number;
  /** Of a picture: an uploaded file (storage://…), or an address on the web (https://…) */
  file_uri?: string;
  file?: Blob;
};

export type FollowedState = "checking" | "published" | "refused" | "removed";

export type FollowedVersion = {
  name: string;
  version_number: number;
  state: FollowedState;
  /** What is wrong with what lies there; one that is published stays as it was */
  problem: string | null;
  digest: string | null;
  time_updated: string;
};

export type GetModelsByModelIdKind = "network" | "gallery";

export type GetModelsKind = "network" | "gallery";

export type GetModelsPageKind = "network" | "gallery";

export type HeadPoseStatistics = {
  yaw_mean_std: [number, number];
  pitch_mean_std: [number, number];
};

export type HealthCheck = {
  name: string;
  ok: boolean;
  needed: boolean;
  tookMs: number;
  reason?: string;
  detail?: string;
};

export type HealthReport = {
  ok: boolean;
  state: HealthReportState;
  checks: HealthCheck[];
};

export type HealthReportState = "starting" | "running" | "stopping";

export type IdentityErased = {
  id: string;
  state: IdentityErasedState;
  subject: IdentityErasedSubject;
  /** What was removed so far, by kind */
  counts: Record<string, number>;
  requested_by: AuditActor;
  request_id: string;
  time_created: string;
  time_completed: string | null;
  message: string;
};

export type IdentityErasedState = "processing" | "completed";

export type IdentityErasedSubject = {
  index_id?: string;
  /** Identities that had been merged into it */
  merged?: string[];
  collection_name?: string;
  dataset_id?: string;
  class_id?: string;
  file_uri?: string;
};

export type IfExists = "refuse" | "replace" | "rename";

export type ImageChange = {
  /** storage:// address of an uploaded picture */
  file_uri?: string;
  active?: boolean;
  notes?: string;
};

export type ImageEvaluation = {
  /** Of the largest face; null without one */
  face_attributes?: FaceAttributes | null;
  face_clustering?: FaceClustering;
};

export type ImageFacts = {
  kind: "image";
  /** `jpeg`, `png`, `webp`, `tiff`, or `pdf` of a page; there may be more */
  format: string;
  width: number;
  height: number;
};

export type ImageInput = {
  tensor: string;
  width: number;
  height: number;
  also?: Record<string, SidePart>;
  openWidth?: boolean;
  layout: ImageInputLayout;
  batch?: boolean;
  colour: ImageInputColour;
  /** Default: [0,0,0] */
  mean: number[];
  /** Default: [1,1,1] */
  std: number[];
  resize?: ImageInputResize;
  shorterSide?: number;
  floorCrop?: boolean;
  filter?: ResizeFilter;
  pad?: ImageInputPad;
};

export type ImageInputColour = "rgb" | "bgr" | "grey";

export type ImageInputLayout = "nchw" | "nhwc";

export type ImageInputPad = {
  value: number;
  at: ImageInputPadAt;
};

export type ImageInputPadAt = "centre" | "corner";

export type ImageInputResize = "letterbox" | "stretch" | "crop";

export type ImageReplacement = {
  /** storage:// address of an uploaded picture */
  file_uri?: string;
  active?: boolean;
  notes?: string;
};

export type IndexCollection = {
  /** Unique in the workspace; what addresses and jobs call it */
  name: string;
  description: string;
  type: "face";
  is_public: boolean;
  /** Identities in it; merged ones count each */
  number_of_identities: number;
  /** The network whose embeddings it holds; null until the first face. Faces of another network are refused. */
  embedding: IndexCollectionEmbedding | null;
  time_created: string;
  time_updated: string;
};

export type IndexCollectionChange = {
  description?: string;
};

export type IndexCollectionEmbedding = {
  model: string;
  digest: string;
};

export type IndexCollectionPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: IndexCollection[];
};

export type IndexCollectionRequest = {
  name: string;
  description?: string;
  type?: "face";
};

export type IndexedIdentity = {
  index_id: string;
  /** Empty until somebody gives one */
  label: string;
  collection_name: string;
  thumbnail: Thumbnail | null;
  /** Identities that were given the same label and belong to this one since */
  merged: string[];
  time_created: string;
  time_updated: string;
};

export type IndexedIdentityChange = {
  /** Two identities of one label are one person; empty takes it away */
  label: string;
};

export type IndexedIdentityPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: IndexedIdentity[];
};

export type IndexedIdentityRequest = {
  index_id: string;
  /** Two identities of one label are one person; empty takes it away */
  label: string;
};

export type InstalledModel = {
  name: string;
  version: number;
  is_default: boolean;
};

export type IssueImage = {
  class_id: string;
  image_id: string;
};

export type IssueLevel = "error" | "warning";

export type Job = {
  id: string;
  tag: string;
  state: JobState;
  errors: string[];
  progress: number;
  duration: number;
  time_created: string;
  time_started: string | null;
  time_completed: string | null;
  /** All of them where one job is asked for; the first 100 in lists and webhooks, as in `result.summary` */
  sources: string[];
  /** Of `sources`, in their order */
  source_names: string[];
  source_count: number;
  /** Where the job is read as a whole */
  link: string;
  modules: Record<string, JobModule>;
  media_type: MediaType;
  ttl: number | null;
  priority: number;
  /** Id of the batch it belongs to */
  batch: string | null;
  result: JobResult;
  webhook: JobWebhook | null;
  /** Where one job that has ended is read, and in results.json; it holds of cached results too */
  provenance?: JobProvenance;
};

export type JobEventData = {
  job: Job;
};

export type JobModule = {
  state: JobState;
  progress: number;
} & Record<string, unknown>;

export type JobOnCompletedEvent = {
  event: "job.on_completed";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: JobEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type JobOnDetailedResultEvent = {
  event: "job.on_detailed_result";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: JobOnDetailedResultEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type JobOnDetailedResultEventData = {
  job: Job;
  detailed_result: DetailedResult;
};

export type JobOnFailedEvent = {
  event: "job.on_failed";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: JobEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type JobOnProgressEvent = {
  event: "job.on_progress";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: JobEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type JobOnStartedEvent = {
  event: "job.on_started";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: JobEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type JobOnStoppedEvent = {
  event: "job.on_stopped";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: JobEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type JobPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: Job[];
};

export type JobProvenance = {
  /** By module, as posted: the galleries, landmark models and networks that it was given */
  modules: Record<string, JobProvenanceModulesValue>;
  analyses: JobProvenanceAnalysesItem[];
};

export type JobProvenanceAnalysesItem = {
  analysis: string;
  /** Equal for two jobs exactly when they must see the same in the same media */
  digest: string;
  decoder_version: number;
  /** The networks that looked, in their exact versions */
  models: ModelPin[];
  /** Those that stand on it */
  modules: string[];
  /** Who looked, each once: several after an upgrade, or where some of it was known. Null where earlier engines did not say */
  made_by: JobProvenanceAnalysesItemMadeByItem[];
};

export type JobProvenanceAnalysesItemMadeByItem = {
  engine_version: string | null;
  /** What the models ran on: `cpu`, `cuda`, `webgpu`; two where some could not run on the first */
  providers: string[] | null;
};

export type JobProvenanceModulesValue = {
  models: ModelPin[];
};

export type JobRequest = {
  sources: string[];
  modules: Record<string, Record<string, unknown>>;
  tag?: string;
  ttl?: number | null;
  webhook?: JobWebhook;
  priority?: number;
  /** Id of the batch it belongs to */
  batch?: string | null;
};

export type JobResult = {
  detailed_link: string;
  summary: ResultSummary[];
};

export type JobState = "waiting" | "processing" | "completed" | "stopped" | "failed";

export type JobWebhook = {
  events: string[];
  callback: string;
};

export type LeftOutImage = {
  class_id: string;
  image_id: string;
  reason: LeftOutReason;
};

export type LeftOutReason = "outlier" | "duplicate" | "no_face" | "several_faces" | "too_small" | "too_blurred" | "unreadable" | "another_person" | "another_place";

export type MediaFacts = VideoFacts | ImageFacts | AudioFacts | PdfFacts;

export type MediaInfo = {
  fps?: number;
  /** Width and height in pixels */
  resolution?: [number, number];
  total_frames?: number;
  /** Seconds, gaps between pictures included */
  duration?: number;
  /** Where its clock goes on without pictures, as in a broken recording, for longer than a segment bridges; of more than 50 the longest. Left out where there are none */
  gaps?: MediaInfoGapsItem[];
  /** How many there are in all */
  gap_count?: number;
  /** Seconds of all of them together: no sum of screen time counts them */
  gap_seconds?: number;
  /** Of films with several tracks of sound: what `audio_track` of `speech_recognition` takes */
  audio_tracks?: MediaInfoAudioTracksItem[];
};

export type MediaInfoAudioTracksItem = {
  track: number;
  language: string | null;
  channels: number;
};

export type MediaInfoGapsItem = {
  time_start: number;
  time_end: number;
};

export type MediaType = "image" | "video" | "audio" | "videostream" | "pdf" | "xml";

export type Message = {
  message: string;
};

export type MissingModel = {
  name: string;
  purpose: string;
};

export type Model = {
  id: string;
  name: string;
  description: string;
  /** Those that are installed, by number */
  versions: ModelVersion[];
  latest_version: ModelVersion;
  type: ModelKind;
  /** Modules that take it in `model` */
  modules: string[];
  /** It comes with Adit, and cannot be changed or deleted */
  is_public: boolean;
  time_created: string;
  time_updated: string;
  custom_fields: (Record<string, unknown>)[];
  /** What its name alone means: the promoted version, else the highest */
  default_version: number;
  /** Who sees it: this workspace alone, or all of the installation */
  scope: ModelScope;
  task: string;
  /** How a network that jobs name is used; null for others */
  family: string | null;
  licence: string;
  origin: string;
  /** How pictures become its input */
  input: ImageInput | null;
  /** Those of the default version */
  labels: string[] | null;
};

export type ModelForm = {
  /** As jobs will name it; a name that the workspace has gets a version more */
  name: string;
  /** installation: for all workspaces; needs a key with the role owner */
  scope?: ModelScope;
  /** Names of its classes, one a line */
  labels?: string;
  /** What it does, where its shape does not tell */
  family?: string;
  /** How its outputs are read */
  decoding?: string;
  /** Pixels it was trained at, such as 640x640 */
  size?: string;
  /** rgb or bgr */
  colour?: string;
  /** What is subtracted from values of 0..255: one number or three with commas between */
  mean?: string;
  /** What the difference is divided by: one number or three with commas between */
  std?: string;
  /** letterbox or stretch */
  resize?: string;
  filter?: string;
  pad?: string;
  shorter_side?: string;
  /** Of images and text: what a cosine is multiplied by */
  logit_scale?: string;
  /** Of images and text: what is added to that */
  logit_bias?: string;
  /** Of faces: distance of two embeddings of length 1 up to which they are of one person */
  max_distance?: string;
  /** Of texts: how many tokens they have at most */
  text_length?: string;
  /** Of a decoder of text: the number of the token that opens one */
  start_token?: string;
  /** Of a decoder of text: the number of the token that ends one */
  end_token?: string;
  /** Of texts: what a label is put into, at {} */
  template?: string;
  description?: string;
  licence?: string;
  origin?: string;
  changelog?: string;
  file: Blob;
  /** Files beside the graph that hold its weights, each under the name that the graph calls it */
  data?: Blob[];
};

export type ModelKind = "face" | "landmark" | "object" | "text";

export type ModelPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: Model[];
};

export type ModelPin = {
  name: string;
  version: number;
  digest: string;
  /** Only where it is asked to calculate in float16, as far as its graph can; left out for float32 */
  precision?: "float16";
};

export type ModelRequest = {
  /** Left out: what the model says of itself */
  description?: string;
  custom_fields?: (Record<string, unknown>)[];
};

export type ModelScope = "workspace" | "installation";

export type ModelVersion = {
  version_number: number;
  time_created: string;
  changelog: string;
  /** The dataset it was trained with, as it was when the training was posted; null when it was installed as files, or the training was deleted */
  source_dataset: Dataset | null;
  /** SHA-256 of its files and of what decides how they are used: jobs keep it */
  digest: string;
  /** What was measured when it was made or added */
  metrics: Record<string, number> | null;
};

export type Module = {
  id: string;
  aliases: string[];
  result_module: string;
  media: string[];
  /** JSON Schema */
  arguments: Record<string, unknown>;
  models: InstalledModel[];
  models_not_installed: MissingModel[];
};

export type ParagraphChange = {
  text?: string;
  speaker?: string | null;
  time_start?: number;
  time_end?: number;
};

export type ParagraphDifference = {
  id: string;
  kind: ParagraphDifferenceKind;
  before: ParagraphDifferenceBefore | null;
  after: ParagraphDifferenceAfter | null;
  words: ParagraphDifferenceWordsItem[];
};

export type ParagraphDifferenceAfter = {
  /** The same in all versions */
  id: string;
  /** The version that it was changed in last, for If-Match */
  revision: number;
  text: string;
  speaker: string | null;
  time_start: number;
  time_end: number;
};

export type ParagraphDifferenceBefore = {
  /** The same in all versions */
  id: string;
  /** The version that it was changed in last, for If-Match */
  revision: number;
  text: string;
  speaker: string | null;
  time_start: number;
  time_end: number;
};

export type ParagraphDifferenceKind = "added" | "removed" | "changed";

export type ParagraphDifferencePage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: ParagraphDifference[];
};

export type ParagraphDifferenceWordsItem = {
  kind: ParagraphDifferenceWordsItemKind;
  text: string;
};

export type ParagraphDifferenceWordsItemKind = "same" | "removed" | "added";

export type ParagraphEdit = {
  id: string;
  text?: string;
  speaker?: string | null;
  time_start?: number;
  time_end?: number;
};

export type ParagraphInsertion = {
  /** Id of the paragraph that it follows; null: it is the first */
  after: string | null;
  text: string;
  speaker?: string | null;
  time_start: number;
  time_end: number;
};

export type ParagraphRemoval = {
  id: string;
  remove: true;
};

export type ParagraphRequest = {
  text: string;
  speaker?: string | null;
  time_start?: number;
  time_end?: number;
};

export type PdfFacts = {
  kind: "pdf";
  pages: number;
  sizes: PdfFactsSizesItem[];
};

export type PdfFactsSizesItem = {
  from: number;
  width: number;
  height: number;
};

export type PictureFace = {
  /** Fractions of the picture as displayed, from its top left corner */
  face_bbox: Box;
  /** How sure it is that this is a face, 0..1 */
  confidence: number;
  /** Shorter side of the box in pixels of the picture */
  size: number;
  /** Size, sharpness and pose together, 0..1; null for a face too small or blurred to know */
  quality: number | null;
  /** 0..100; null for a face too small or blurred to know */
  sharpness: number | null;
  /** Degrees; null for a face too small or blurred to know */
  yaw: number | null;
  pitch: number | null;
  roll: number | null;
  /** Years; null for a face too small or blurred to know */
  age: number | null;
  gender: PictureFaceGender | null;
};

export type PictureFaceGender = "female" | "male";

export type PlannedAnalysis = {
  analysis: string;
  digest: string;
  models: ModelPin[];
};

export type PlannedModule = {
  module: string;
  arguments: Record<string, unknown>;
  models: ModelPin[];
  analyses: PlannedAnalysis[];
};

export type Prediction = {
  /** As results call it */
  module: string;
  /** Of the picture as displayed, in pixels */
  width: number;
  height: number;
  results: PredictionResultsItem[];
  /** What looked at the picture and named what was seen, in their exact versions */
  models: ModelPin[];
};

export type PredictionForm = {
  /** Of the model; the one that its name means when left out. */
  version?: number;
  /** Which of the modules that take the model; the one it was made for when left out. */
  module?: string;
  /** Of the module, as in a job; neither `model` nor dictionaries. */
  arguments?: Record<string, unknown>;
  /** Of a picture: an uploaded file (storage://…), or an address on the web (https://…) */
  file_uri?: string;
  file?: Blob;
};

export type PredictionResultsItem = {
  type: string;
  label: string;
  /** Or similarity, 0..1 */
  confidence: number;
  /** As in detailed results of the module */
  meta: Record<string, unknown>;
  detections: Detection[];
};

export type ProbedSource = {
  source: string;
  facts: MediaFacts | null;
  error: string | null;
};

export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: string;
  message: string;
  request_id: string;
  errors: ProblemError[];
};

export type ProblemError = {
  pointer: string;
  code: string;
  message: string;
  /** The resource that is in the way */
  existing?: Record<string, unknown>;
};

export type Rational = {
  num: number;
  den: number;
};

export type Report = {
  id: string;
  title: string;
  type: "diversity";
  state: TaskState;
  error_msg: string | null;
  time_created: string;
};

export type ReportContent = {
  batch_id: string;
  report_info: DiversityInfo;
};

export type ReportItem = {
  content: ReportContent;
};

export type ReportItemPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: ReportItem[];
};

export type ReportPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: Report[];
};

export type ResizeFilter = "nearest" | "bilinear" | "antialiased" | "bicubic";

export type ResourceEventName = "svc.transcript.on_created" | "svc.transcript.variant.version.on_created" | "svc.transcript.variant.version.paragraph.on_updated" | "svc.export.on_started" | "svc.export.on_completed" | "svc.export.artifact.on_created" | "svc.job.on_started" | "svc.job.on_completed" | "svc.job.on_failed" | "svc.job.on_stopped" | "svc.training.on_completed" | "svc.training.on_failed" | "svc.dataset.import.on_completed";

export type ResultSummary = {
  source: string;
  /** Name of the file: as it was uploaded, or the last part of its path or address */
  source_name: string;
  media_type: MediaType;
  info: MediaInfo;
  items: ResultSummaryItem[];
};

export type ResultSummaryItem = {
  type: string;
  label: string;
  module: string;
};

export type RunLatency = {
  /** Pictures that were run */
  rows: number;
  mean_seconds: number;
  p50_seconds: number;
  p95_seconds: number;
};

export type SearchedFace = {
  /** Fractions of the picture as displayed, from its top left corner */
  face_bbox: Box;
  /** How sure it is that this is a face, 0..1 */
  confidence: number;
  /** Shorter side of the box in pixels of the picture */
  size: number;
  /** Size, sharpness and pose together, 0..1; null for a face too small or blurred to know */
  quality: number | null;
  /** 0..100; null for a face too small or blurred to know */
  sharpness: number | null;
  /** Degrees; null for a face too small or blurred to know */
  yaw: number | null;
  pitch: number | null;
  roll: number | null;
  /** Years; null for a face too small or blurred to know */
  age: number | null;
  gender: SearchedFaceGender | null;
  /** Who it is; `unknown` for nobody near enough, and for somebody without a label */
  person: string;
  class_id: string | null;
  indexed_identity: IndexedIdentity | null;
  /** 0..1 */
  similarity: number;
  /** Euclidean, of the embeddings, 0..2 */
  distance: number;
  /** Only of somebody unknown */
  closest_person?: string | null;
  /** The nearest people, the nearest first */
  top_k: SearchedFaceTopKItem[];
};

export type SearchedFaceGender = "female" | "male";

export type SearchedFaceTopKItem = {
  person: string;
  class_id: string | null;
  indexed_identity: IndexedIdentity | null;
  /** 0..1 */
  similarity: number;
  /** Euclidean, of the embeddings, 0..2 */
  distance: number;
};

export type SidePart = "size" | "ones";

export type SigningSecret = {
  signing_secret: string;
};

export type StorageEntry = {
  id: number;
  url: string | null;
  file_size: number | null;
  name: string;
  uploaded: boolean;
  upload_failed: boolean;
  is_image: boolean;
  is_folder: boolean;
};

export type StorageEntryV2 = {
  id: number;
  url: string | null;
  file_size: number | null;
  name: string;
  uploaded: boolean;
  upload_failed: boolean;
  storage_type: StorageType | null;
  uploaded_at: string | null;
};

export type StorageEntryV2Page = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: StorageEntryV2[];
};

export type StorageForm = {
  file: Blob;
  /** Path of a folder, e.g. /news/2026 */
  folder?: string;
  /** Default: the name the file is sent with */
  name?: string;
  if_exists?: IfExists;
};

export type StorageFormV2 = {
  file: Blob;
  /** Path of a folder, e.g. /news/2026 */
  folder?: string;
  /** Default: the name the file is sent with */
  name?: string;
  if_exists?: IfExists;
};

export type StorageType = "IMAGE" | "VIDEO" | "AUDIO" | "FOLDER";

export type SummarizedResult = {
  id: string;
  source: string;
  /** Name of the file: as it was uploaded, or the last part of its path or address */
  source_name: string;
  module: string;
  type: string;
  meta: Record<string, number>;
};

export type SummarizedResultPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: SummarizedResult[];
};

export type SvcDatasetImportOnCompletedEvent = {
  event: "svc.dataset.import.on_completed";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: SvcDatasetImportOnCompletedEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcDatasetImportOnCompletedEventData = {
  import: DatasetImport;
};

export type SvcExportArtifactOnCreatedEvent = {
  event: "svc.export.artifact.on_created";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: SvcExportArtifactOnCreatedEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcExportArtifactOnCreatedEventData = {
  artifact: Artifact;
};

export type SvcExportOnCompletedEvent = {
  event: "svc.export.on_completed";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: ExportEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcExportOnStartedEvent = {
  event: "svc.export.on_started";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: ExportEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcJobOnCompletedEvent = {
  event: "svc.job.on_completed";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: JobEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcJobOnFailedEvent = {
  event: "svc.job.on_failed";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: JobEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcJobOnStartedEvent = {
  event: "svc.job.on_started";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: JobEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcJobOnStoppedEvent = {
  event: "svc.job.on_stopped";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: JobEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcTrainingOnCompletedEvent = {
  event: "svc.training.on_completed";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: TrainingEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcTrainingOnFailedEvent = {
  event: "svc.training.on_failed";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: TrainingEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcTranscriptOnCreatedEvent = {
  event: "svc.transcript.on_created";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: SvcTranscriptOnCreatedEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcTranscriptOnCreatedEventData = {
  transcript: Transcript;
};

export type SvcTranscriptVariantVersionOnCreatedEvent = {
  event: "svc.transcript.variant.version.on_created";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: SvcTranscriptVariantVersionOnCreatedEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcTranscriptVariantVersionOnCreatedEventData = {
  version: SvcTranscriptVariantVersionOnCreatedEventDataVersion;
};

export type SvcTranscriptVariantVersionOnCreatedEventDataVersion = {
  id: string;
  version: number;
  time_created: string;
  paragraph_count: number;
  /** Name of the key that made it */
  author: string;
  /** The version that it brought back */
  restored_version: number | null;
  transcript_id: string;
  variant_id: string;
  variant: TranscriptVariant;
};

export type SvcTranscriptVariantVersionParagraphOnUpdatedEvent = {
  event: "svc.transcript.variant.version.paragraph.on_updated";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: SvcTranscriptVariantVersionParagraphOnUpdatedEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcTranscriptVariantVersionParagraphOnUpdatedEventData = {
  paragraph: SvcTranscriptVariantVersionParagraphOnUpdatedEventDataParagraph;
};

export type SvcTranscriptVariantVersionParagraphOnUpdatedEventDataParagraph = {
  /** The same in all versions */
  id: string;
  /** The version that it was changed in last, for If-Match */
  revision: number;
  text: string;
  speaker: string | null;
  time_start: number;
  time_end: number;
  transcript_id: string;
  variant_id: string;
  version_id: string;
  version: number;
};

export type SvcWebhookOnTestEvent = {
  event: "svc.webhook.on_test";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  data: SvcWebhookOnTestEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcWebhookOnTestEventData = {
  webhook: SvcWebhookOnTestEventDataWebhook;
};

export type SvcWebhookOnTestEventDataWebhook = {
  id: string;
  event: ResourceEventName;
  url: string;
  description: string;
};

export type TaskState = "waiting" | "processing" | "completed" | "failed";

export type Thumbnail = {
  image: string;
  meta: Record<string, unknown>;
};

export type Training = {
  id: string;
  type: DatasetType;
  source_dataset_id: string;
  /** As it was when the training was posted */
  source_dataset: Dataset;
  output_model_name: string;
  output_model_description: string;
  output_model_changelog: string;
  config: TrainingConfig;
  state: TaskState;
  error: string;
  progress: number;
  /** Seconds */
  duration: number;
  time_created: string;
  time_started: string | null;
  time_completed: string | null;
  /** Null until the training is completed */
  output_model: Model | null;
  report: TrainingReport | null;
};

export type TrainingConfig = {
  /** Pixels of the smallest side of a face; default 80 */
  min_face_size?: number;
  /** Least quality of a face, lower is blurrier; default 40 */
  sharpness_threshold?: number;
};

export type TrainingEventData = {
  training: EndedTraining;
};

export type TrainingPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: Training[];
};

export type TrainingReport = {
  number_of_classes: number;
  number_of_images: number;
  /** The first 1000 of them */
  left_out: LeftOutImage[];
  number_left_out: number;
  /** Distance up to which a picture is named without giving any of the dataset the name of another class */
  threshold: number;
  held_out: number;
  named_right: number;
  named_wrong: number;
  /** Photos of classes that were asked of the others, which had never seen them */
  unseen?: number;
  /** Those of them that got a name */
  unseen_named?: number;
  /** At most 10 */
  closest_pairs?: ClosePair[];
};

export type TrainingRequest = {
  source_dataset_id: string;
  /** A version is added to the workspace’s model of that name */
  output_model_name: string;
  output_model_description?: string;
  output_model_changelog?: string;
  config?: TrainingConfig;
};

export type Transcript = {
  id: string;
  tag: string;
  job: TranscriptJob;
  source: string;
  time_created: string;
  time_updated: string;
};

export type TranscriptAccess = {
  /** Those of the access key as it is now; of an API key, what its role comes to */
  scopes: AccessScope[];
  /** The file that was heard; null where it is neither an upload nor under the local roots of the gateway, or was deleted */
  media: TranscriptAccessMedia | null;
};

export type TranscriptAccessMedia = {
  filename: string;
  content_type: string | null;
  size: number;
};

export type TranscriptJob = {
  id: string;
  tag: string;
  state: JobState;
  errors: string[];
  progress: number;
  duration: number;
  time_created: string;
  time_started: string | null;
  time_completed: string | null;
  /** All of them where one job is asked for; the first 100 in lists and webhooks, as in `result.summary` */
  sources: string[];
  /** Of `sources`, in their order */
  source_names: string[];
  source_count: number;
  /** Where the job is read as a whole */
  link: string;
  modules: Record<string, JobModule>;
  media_type: MediaType;
  ttl: number | null;
  priority: number;
  /** Id of the batch it belongs to */
  batch: string | null;
  result: JobResult;
  webhook: JobWebhook | null;
  /** Where one job that has ended is read, and in results.json; it holds of cached results too */
  provenance?: JobProvenance;
  /** Always false */
  is_synced_to_kg: boolean;
};

export type TranscriptPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: Transcript[];
};

export type TranscriptParagraph = {
  /** The same in all versions */
  id: string;
  index: number;
  /** The version that it was changed in last, for If-Match */
  revision: number;
  text: string;
  speaker: string | null;
  time_start: number;
  time_end: number;
  words: TranscriptWord[];
};

export type TranscriptParagraphPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: TranscriptParagraph[];
};

export type TranscriptRequest = {
  /** A job that has ended and was asked for speech_recognition */
  job_id: string;
  /** Which of the sources of the job; needed where it has several */
  source?: string;
  /** Default: that of the job */
  tag?: string;
};

export type TranscriptVariant = {
  id: string;
  name: string;
  /** ISO 639-1 */
  language: string | null;
  latest_version: number;
  time_created: string;
  time_updated: string;
};

export type TranscriptVariantPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: TranscriptVariant[];
};

export type TranscriptVariantRequest = {
  language: string;
  /** Default: the language */
  name?: string;
  /** The variant to begin with. Default: the first */
  variant_id?: string;
  /** `translate` needs a model that does; `copy` takes the text as it is, for a person to translate */
  mode?: TranscriptVariantRequestMode;
};

export type TranscriptVariantRequestMode = "translate" | "copy";

export type TranscriptVersion = {
  id: string;
  version: number;
  time_created: string;
  paragraph_count: number;
  /** Name of the key that made it */
  author: string;
  /** The version that it brought back */
  restored_version: number | null;
};

export type TranscriptVersionPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: TranscriptVersion[];
};

export type TranscriptWord = {
  text: string;
  time_start: number;
  time_end: number;
  confidence: number;
};

export type VersionChange = ParagraphRemoval | ParagraphEdit | ParagraphInsertion;

export type VersionRequest = {
  /** The version that was edited: what was changed since is not overwritten, 409. Default: the newest */
  base_version?: number;
  changes?: VersionChange[];
  /** Its number or id */
  restore_version?: number | string;
};

export type VideoFacts = {
  kind: "video";
  container: string;
  codec: string;
  stream: number;
  width: number;
  height: number;
  fps: Rational;
  variableFrameRate: boolean;
  totalFrames: number;
  duration: number;
  timeBase: Rational;
  startPts: number;
  startTimecode: string | null;
  timecodeRate?: Rational;
  rotation: number;
  interlaced: boolean;
  sampleAspectRatio: Rational;
  bitDepth: number;
  hdr: boolean;
  audioStreams: AudioStream[];
  gaps?: ClockGaps;
};

export type Webhook = {
  id: string;
  event: ResourceEventName;
  url: string;
  /** Null for who may not change the webhook: API keys of the role reader */
  hmac_secret: string | null;
  description: string;
  time_created: string;
  exp_backoff: boolean;
  retry_limit: number;
  enabled: boolean;
  disabled_reason: string | null;
  time_disabled: string | null;
};

export type WebhookAttempt = {
  id: string;
  message_id: string;
  event: string;
  attempt: number;
  time_started: string;
  duration: number;
  status: number | null;
  error: string | null;
  response: string | null;
  state: WebhookMessageState;
  time_next: string | null;
};

export type WebhookAttemptPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: WebhookAttempt[];
};

export type WebhookChange = {
  event?: ResourceEventName;
  url?: string;
  /** Signs what is sent */
  hmac_secret?: string;
  description?: string;
  /** false: nothing is sent; true begins again */
  enabled?: boolean;
};

export type WebhookMessage = {
  message_id: string;
  event: string;
  state: WebhookMessageState;
};

export type WebhookMessageState = "pending" | "delivered" | "failed" | "gone";

export type WebhookPage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: Webhook[];
};

export type WebhookRequest = {
  event: ResourceEventName;
  url: string;
  /** Signs what is sent */
  hmac_secret: string;
  description?: string;
  /** false: nothing is sent; true begins again */
  enabled?: boolean;
};

export type Workspace = {
  id: string;
  name: string;
  /** Bytes its files and transcripts may have; null: as the gateway is configured, 0: no limit */
  storage_bytes: number | null;
  /** Bytes its files and transcripts have, uploads under way included */
  storage_used: number;
  /** Its share of the machines against other workspaces */
  weight: number;
  /** Whether what was seen in a film is kept for later jobs */
  observation_cache: boolean;
  time_created: string;
};

export type WorkspaceChange = {
  name?: string;
  storage_bytes?: number | null;
  weight?: number;
  observation_cache?: boolean;
};

export type WorkspacePage = {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: Workspace[];
};

export type WorkspaceReceipt = {
  id: string;
  name: string;
  state: "erased";
  /** How many of each kind there were */
  counts: Record<string, number>;
  time: string;
  /** Id of the API key that asked for it */
  key: string;
};

export type WorkspaceRequest = {
  name: string;
  storage_bytes?: number | null;
  weight?: number;
  observation_cache?: boolean;
};

/** What each operation takes and answers; `reply` is null where the answer is no JSON. */
export interface Operations {
  /** Create a job */
  'POST /v1/jobs/': {
    params: Record<never, never>;
    query: {
      dry_run?: boolean;
    };
    body: JobRequest;
    form: undefined;
    reply: Job;
  };
  /** List jobs, newest first */
  'GET /v1/jobs/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
      search?: string;
      tag?: string;
      state?: JobState;
      batch?: string;
    };
    body: undefined;
    form: undefined;
    reply: JobPage;
  };
  /** What a job would be; nothing is created */
  'POST /v1/jobs/dry-run/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: JobRequest;
    form: undefined;
    reply: DryRun;
  };
  /** Read a job */
  'GET /v1/jobs/{jobId}/': {
    params: {
      jobId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Job;
  };
  /** Abort a job and remove its results */
  'DELETE /v1/jobs/{jobId}/': {
    params: {
      jobId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** End a job where it stands; its results so far stay */
  'POST /v1/jobs/{jobId}/stop/': {
    params: {
      jobId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Job;
  };
  /** Run what failed, was stopped or was missed in an ended job again */
  'POST /v1/jobs/{jobId}/retry/': {
    params: {
      jobId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Job;
  };
  /** Segments in the order in which they became final */
  'GET /v1/jobs/{jobId}/detailed-results/': {
    params: {
      jobId: string;
    };
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      module?: string;
      type?: string;
      label?: string;
      time_start?: number;
      time_end?: number;
      min_confidence?: number;
    };
    body: undefined;
    form: undefined;
    reply: DetailedResultPage;
  };
  /** Sums over a whole source */
  'GET /v1/jobs/{jobId}/summarized-results/': {
    params: {
      jobId: string;
    };
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      module?: string;
      type?: string;
    };
    body: undefined;
    form: undefined;
    reply: SummarizedResultPage;
  };
  /** Files a job made */
  'GET /v1/jobs/{jobId}/artifacts/': {
    params: {
      jobId: string;
    };
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: ArtifactPage;
  };
  /** Download an artifact */
  'GET /v1/jobs/{jobId}/artifacts/{artifactId}/file/': {
    params: {
      jobId: string;
      artifactId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** Follow a job as server-sent events */
  'GET /v1/jobs/{jobId}/events/': {
    params: {
      jobId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** Upload a file */
  'POST /v1/storage/': {
    params: Record<never, never>;
    query: {
      folder?: string;
      name?: string;
      if_exists?: IfExists;
    };
    body: undefined;
    form: StorageForm;
    reply: StorageEntry;
  };
  /** List the files and folders of a folder */
  'GET /v1/storage/': {
    params: Record<never, never>;
    query: {
      folder?: string;
      offset?: number;
      limit?: number;
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: StorageEntry[];
  };
  /** Read an entry */
  'GET /v1/storage/{storageId}/': {
    params: {
      storageId: number;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: StorageEntry;
  };
  /** Remove a file, or a folder with everything in it */
  'DELETE /v1/storage/{storageId}/': {
    params: {
      storageId: number;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** Download a file */
  'GET /v1/storage/{storageId}/file/': {
    params: {
      storageId: number;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** A small picture of a file */
  'GET /v1/storage/{storageId}/thumbnail/': {
    params: {
      storageId: number;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** Upload a file */
  'POST /v2/storage/': {
    params: Record<never, never>;
    query: {
      folder?: string;
      name?: string;
      if_exists?: IfExists;
    };
    body: undefined;
    form: StorageFormV2;
    reply: StorageEntryV2;
  };
  /** List the files and folders of a folder */
  'GET /v2/storage/': {
    params: Record<never, never>;
    query: {
      folder?: string;
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: StorageEntryV2Page;
  };
  /** Read an entry */
  'GET /v2/storage/{storageId}/': {
    params: {
      storageId: number;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: StorageEntryV2;
  };
  /** Remove a file, or a folder with everything in it */
  'DELETE /v2/storage/{storageId}/': {
    params: {
      storageId: number;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** Download a file */
  'GET /v2/storage/{storageId}/file/': {
    params: {
      storageId: number;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** A small picture of a file */
  'GET /v2/storage/{storageId}/thumbnail/': {
    params: {
      storageId: number;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** Which version and extensions of tus are spoken, and the largest file */
  'OPTIONS /v1/storage/uploads/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** Begin a resumable upload */
  'POST /v1/storage/uploads/': {
    params: Record<never, never>;
    query: {
      folder?: string;
      name?: string;
      if_exists?: IfExists;
    };
    body: undefined;
    form: undefined;
    reply: StorageEntry;
  };
  /** How far a resumable upload is: Upload-Offset */
  'HEAD /v1/storage/uploads/{storageId}/': {
    params: {
      storageId: number;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** Send the bytes of a resumable upload from its offset on */
  'PATCH /v1/storage/uploads/{storageId}/': {
    params: {
      storageId: number;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** Give a resumable upload up, or remove the file that it became */
  'DELETE /v1/storage/uploads/{storageId}/': {
    params: {
      storageId: number;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** Upload a dictionary */
  'POST /v1/dictionaries/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: DictionaryForm;
    reply: Dictionary;
  };
  /** List the dictionaries of the workspace and the public ones */
  'GET /v1/dictionaries/': {
    params: Record<never, never>;
    query: {
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: Dictionary[];
  };
  /** The same list in pages */
  'GET /v1/dictionaries': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: DictionaryPage;
  };
  /** Read a dictionary */
  'GET /v1/dictionaries/{dictionaryId}/': {
    params: {
      dictionaryId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Dictionary;
  };
  /** Replace name and language, and the file when one is sent */
  'PUT /v1/dictionaries/{dictionaryId}/': {
    params: {
      dictionaryId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: DictionaryReplacementForm;
    reply: Dictionary;
  };
  /** Change what is sent */
  'PATCH /v1/dictionaries/{dictionaryId}/': {
    params: {
      dictionaryId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: DictionaryChangeForm;
    reply: Dictionary;
  };
  /** Remove a dictionary */
  'DELETE /v1/dictionaries/{dictionaryId}/': {
    params: {
      dictionaryId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** Download the file of a dictionary */
  'GET /v1/dictionaries/{dictionaryId}/file/': {
    params: {
      dictionaryId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** Modules with their arguments and the models installed for them */
  'GET /v1/modules/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Module[];
  };
  /** List the models that a job may name */
  'GET /v1/models/': {
    params: Record<never, never>;
    query: {
      time_created_from?: string;
      time_created_to?: string;
      kind?: GetModelsKind;
    };
    body: undefined;
    form: undefined;
    reply: Model[];
  };
  /** Add a model, or a version of one */
  'POST /v1/models/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: ModelForm;
    reply: Model;
  };
  /** The same list in pages */
  'GET /v1/models': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
      kind?: GetModelsPageKind;
    };
    body: undefined;
    form: undefined;
    reply: ModelPage;
  };
  /** List what lies in the bucket whose models are followed */
  'GET /v1/models/followed/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: FollowedVersion[];
  };
  /** Read a model */
  'GET /v1/models/{modelId}/': {
    params: {
      modelId: string;
    };
    query: {
      kind?: GetModelsByModelIdKind;
    };
    body: undefined;
    form: undefined;
    reply: Model;
  };
  /** Replace the description and the custom fields of a model */
  'PUT /v1/models/{modelId}/': {
    params: {
      modelId: string;
    };
    query: Record<never, never>;
    body: ModelRequest;
    form: undefined;
    reply: Model;
  };
  /** Take a model from the workspace */
  'DELETE /v1/models/{modelId}/': {
    params: {
      modelId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** Make a version the one that the name means */
  'POST /v1/models/{modelId}/versions/{version}/promote/': {
    params: {
      modelId: string;
      version: number;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Model;
  };
  /** Offer a version to no more jobs */
  'POST /v1/models/{modelId}/versions/{version}/retire/': {
    params: {
      modelId: string;
      version: number;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** Try a version beside the one that the name means */
  'POST /v1/models/{modelId}/canary/': {
    params: {
      modelId: string;
    };
    query: Record<never, never>;
    body: CanaryRequest;
    form: undefined;
    reply: Canary;
  };
  /** Read how a version that is tried differs */
  'GET /v1/models/{modelId}/canary/': {
    params: {
      modelId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Canary;
  };
  /** Make the version that is tried the one that the name means */
  'POST /v1/models/{modelId}/canary/promote/': {
    params: {
      modelId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Canary;
  };
  /** Try the version no more */
  'POST /v1/models/{modelId}/canary/drop/': {
    params: {
      modelId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Canary;
  };
  /** Load a picture of which two versions said different things */
  'GET /v1/models/{modelId}/canary/pictures/{pictureId}/': {
    params: {
      modelId: string;
      pictureId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** Ask a model about one picture */
  'POST /v1/models/{modelId}/predict/': {
    params: {
      modelId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: PredictionForm;
    reply: Prediction;
  };
  /** List datasets, the oldest first */
  'GET /v1/datasets/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: DatasetPage;
  };
  /** Make a dataset */
  'POST /v1/datasets/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: DatasetRequest;
    form: undefined;
    reply: Dataset;
  };
  /** Read a dataset */
  'GET /v1/datasets/{datasetId}/': {
    params: {
      datasetId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Dataset;
  };
  /** Replace name and description */
  'PUT /v1/datasets/{datasetId}/': {
    params: {
      datasetId: string;
    };
    query: Record<never, never>;
    body: DatasetReplacement;
    form: undefined;
    reply: Dataset;
  };
  /** Change what is sent */
  'PATCH /v1/datasets/{datasetId}/': {
    params: {
      datasetId: string;
    };
    query: Record<never, never>;
    body: DatasetChange;
    form: undefined;
    reply: Dataset;
  };
  /** Remove a dataset, or a dictionary under the path where that was once listed */
  'DELETE /v1/datasets/{datasetId}/': {
    params: {
      datasetId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** List the classes of a dataset, the oldest first */
  'GET /v1/datasets/{datasetId}/classes/': {
    params: {
      datasetId: string;
    };
    query: {
      time_created_from?: string;
      time_created_to?: string;
      search?: string;
      reference?: string;
      active?: boolean;
    };
    body: undefined;
    form: undefined;
    reply: DatasetClass[];
  };
  /** Add a class to a dataset */
  'POST /v1/datasets/{datasetId}/classes/': {
    params: {
      datasetId: string;
    };
    query: Record<never, never>;
    body: ClassRequest;
    form: undefined;
    reply: DatasetClass;
  };
  /** The same list in pages */
  'GET /v1/datasets/{datasetId}/classes': {
    params: {
      datasetId: string;
    };
    query: {
      offset?: number;
      limit: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
      search?: string;
      reference?: string;
      active?: boolean;
    };
    body: undefined;
    form: undefined;
    reply: DatasetClassPage;
  };
  /** Read a class */
  'GET /v1/datasets/{datasetId}/classes/{classId}/': {
    params: {
      datasetId: string;
      classId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: DatasetClass;
  };
  /** Replace the fields of a class */
  'PUT /v1/datasets/{datasetId}/classes/{classId}/': {
    params: {
      datasetId: string;
      classId: string;
    };
    query: Record<never, never>;
    body: ClassRequest;
    form: undefined;
    reply: DatasetClass;
  };
  /** Change what is sent */
  'PATCH /v1/datasets/{datasetId}/classes/{classId}/': {
    params: {
      datasetId: string;
      classId: string;
    };
    query: Record<never, never>;
    body: ClassChange;
    form: undefined;
    reply: DatasetClass;
  };
  /** Remove a class */
  'DELETE /v1/datasets/{datasetId}/classes/{classId}/': {
    params: {
      datasetId: string;
      classId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** List the images of a class, the oldest first */
  'GET /v1/datasets/{datasetId}/classes/{classId}/images/': {
    params: {
      datasetId: string;
      classId: string;
    };
    query: {
      time_created_from?: string;
      time_created_to?: string;
      active?: boolean;
      face_clustering?: FaceClustering;
    };
    body: undefined;
    form: undefined;
    reply: DatasetImage[];
  };
  /** Add an image to a class */
  'POST /v1/datasets/{datasetId}/classes/{classId}/images/': {
    params: {
      datasetId: string;
      classId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: DatasetImageForm;
    reply: DatasetImage;
  };
  /** The same list in pages */
  'GET /v1/datasets/{datasetId}/classes/{classId}/images': {
    params: {
      datasetId: string;
      classId: string;
    };
    query: {
      offset?: number;
      limit: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
      active?: boolean;
      face_clustering?: FaceClustering;
    };
    body: undefined;
    form: undefined;
    reply: DatasetImagePage;
  };
  /** Read an image */
  'GET /v1/datasets/{datasetId}/classes/{classId}/images/{imageId}/': {
    params: {
      datasetId: string;
      classId: string;
      imageId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: DatasetImage;
  };
  /** Replace the fields of an image */
  'PUT /v1/datasets/{datasetId}/classes/{classId}/images/{imageId}/': {
    params: {
      datasetId: string;
      classId: string;
      imageId: string;
    };
    query: Record<never, never>;
    body: ImageReplacement;
    form: undefined;
    reply: DatasetImage;
  };
  /** Change what is sent */
  'PATCH /v1/datasets/{datasetId}/classes/{classId}/images/{imageId}/': {
    params: {
      datasetId: string;
      classId: string;
      imageId: string;
    };
    query: Record<never, never>;
    body: ImageChange;
    form: undefined;
    reply: DatasetImage;
  };
  /** Remove an image, with its file when that came with it */
  'DELETE /v1/datasets/{datasetId}/classes/{classId}/images/{imageId}/': {
    params: {
      datasetId: string;
      classId: string;
      imageId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** Import many pictures into a dataset */
  'POST /v1/datasets/{datasetId}/imports/': {
    params: {
      datasetId: string;
    };
    query: Record<never, never>;
    body: DatasetImportRequest;
    form: undefined;
    reply: DatasetImport;
  };
  /** List the imports of a dataset, newest first */
  'GET /v1/datasets/{datasetId}/imports/': {
    params: {
      datasetId: string;
    };
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: DatasetImportPage;
  };
  /** Read an import */
  'GET /v1/datasets/{datasetId}/imports/{importId}/': {
    params: {
      datasetId: string;
      importId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: DatasetImport;
  };
  /** Stop an import, and remove it */
  'DELETE /v1/datasets/{datasetId}/imports/{importId}/': {
    params: {
      datasetId: string;
      importId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** List the files that could not be imported */
  'GET /v1/datasets/{datasetId}/imports/{importId}/errors/': {
    params: {
      datasetId: string;
      importId: string;
    };
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
    };
    body: undefined;
    form: undefined;
    reply: DatasetImportErrorPage;
  };
  /** List trainings, newest first */
  'GET /v1/trainings/': {
    params: Record<never, never>;
    query: {
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: Training[];
  };
  /** Train a model with a dataset */
  'POST /v1/trainings/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: TrainingRequest;
    form: undefined;
    reply: Training;
  };
  /** Stop a training, and remove it, by the path under which the interface lists that */
  'DELETE /v1/trainings/': {
    params: Record<never, never>;
    query: {
      id: string;
    };
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** The same list in pages */
  'GET /v1/trainings': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: TrainingPage;
  };
  /** Read a training */
  'GET /v1/trainings/{trainingId}/': {
    params: {
      trainingId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Training;
  };
  /** Stop a training, and remove it */
  'DELETE /v1/trainings/{trainingId}/': {
    params: {
      trainingId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** Find the faces of a picture */
  'POST /v1/faces/detect/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: FaceDetectionForm;
    reply: FaceDetection;
  };
  /** Compare the face of one picture with those of another */
  'POST /v1/faces/compare/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: FaceComparisonForm;
    reply: FaceComparison;
  };
  /** Say who the faces of a picture are */
  'POST /v1/faces/search/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: FaceSearchForm;
    reply: FaceSearch;
  };
  /** List the index collections of the workspace */
  'GET /v1/index-collection/': {
    params: Record<never, never>;
    query: {
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: IndexCollection[];
  };
  /** Make an index collection */
  'POST /v1/index-collection/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: IndexCollectionRequest;
    form: undefined;
    reply: IndexCollection;
  };
  /** Replace the description of the index collection that the body names */
  'PUT /v1/index-collection/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: IndexCollectionRequest;
    form: undefined;
    reply: IndexCollection;
  };
  /** The same list in pages */
  'GET /v1/index-collection': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: IndexCollectionPage;
  };
  /** Read an index collection */
  'GET /v1/index-collection/{collectionName}/': {
    params: {
      collectionName: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: IndexCollection;
  };
  /** Replace the description of an index collection */
  'PUT /v1/index-collection/{collectionName}/': {
    params: {
      collectionName: string;
    };
    query: Record<never, never>;
    body: IndexCollectionChange;
    form: undefined;
    reply: IndexCollection;
  };
  /** Remove an index collection with everybody in it */
  'DELETE /v1/index-collection/{collectionName}/': {
    params: {
      collectionName: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** List the people of an index collection */
  'GET /v1/index-collection/{collectionName}/identities/': {
    params: {
      collectionName: string;
    };
    query: {
      time_created_from?: string;
      time_created_to?: string;
      search?: string;
    };
    body: undefined;
    form: undefined;
    reply: IndexedIdentity[];
  };
  /** Give the identity that the body names a label */
  'PUT /v1/index-collection/{collectionName}/identities/': {
    params: {
      collectionName: string;
    };
    query: Record<never, never>;
    body: IndexedIdentityRequest;
    form: undefined;
    reply: IndexedIdentity;
  };
  /** The same list in pages */
  'GET /v1/index-collection/{collectionName}/identities': {
    params: {
      collectionName: string;
    };
    query: {
      offset?: number;
      limit: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
      search?: string;
    };
    body: undefined;
    form: undefined;
    reply: IndexedIdentityPage;
  };
  /** Read an identity */
  'GET /v1/index-collection/{collectionName}/identities/{indexId}/': {
    params: {
      collectionName: string;
      indexId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: IndexedIdentity;
  };
  /** Give an identity a label */
  'PUT /v1/index-collection/{collectionName}/identities/{indexId}/': {
    params: {
      collectionName: string;
      indexId: string;
    };
    query: Record<never, never>;
    body: IndexedIdentityChange;
    form: undefined;
    reply: IndexedIdentity;
  };
  /** Take a person out of an index collection */
  'DELETE /v1/index-collection/{collectionName}/identities/{indexId}/': {
    params: {
      collectionName: string;
      indexId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: IdentityErased;
  };
  /** Erase a person, a class or what is known of a file */
  'POST /v1/erasures/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: ErasureRequest;
    form: undefined;
    reply: Erasure;
  };
  /** List erasures, newest first */
  'GET /v1/erasures/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: ErasurePage;
  };
  /** Read the receipt of an erasure */
  'GET /v1/erasures/{erasureId}/': {
    params: {
      erasureId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Erasure;
  };
  /** List the API keys of the workspace */
  'GET /v1/api-keys/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: ApiKeyPage;
  };
  /** Create an API key; the reply shows it once */
  'POST /v1/api-keys/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: ApiKeyRequest;
    form: undefined;
    reply: CreatedApiKey;
  };
  /** Read an API key */
  'GET /v1/api-keys/{keyId}/': {
    params: {
      keyId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: ApiKey;
  };
  /** Change the name, role or limits of an API key */
  'PATCH /v1/api-keys/{keyId}/': {
    params: {
      keyId: string;
    };
    query: Record<never, never>;
    body: ApiKeyChange;
    form: undefined;
    reply: ApiKey;
  };
  /** Revoke an API key */
  'DELETE /v1/api-keys/{keyId}/': {
    params: {
      keyId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** Replace an API key by a new one with its name, role and limits; the reply shows it once */
  'POST /v1/api-keys/{keyId}/rotate/': {
    params: {
      keyId: string;
    };
    query: Record<never, never>;
    body: ApiKeyRotation;
    form: undefined;
    reply: CreatedApiKey;
  };
  /** The secret that signs the webhooks of jobs */
  'GET /v1/signing-secret/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: SigningSecret;
  };
  /** Replace the signing secret; the old one goes on signing beside it for 24 hours */
  'POST /v1/signing-secret/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: SigningSecret;
  };
  /** List the access keys of the workspace */
  'GET /v1/access-keys/': {
    params: Record<never, never>;
    query: {
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: AccessKey[];
  };
  /** Create an access key; the reply shows its secret once */
  'POST /v1/access-keys/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: AccessKeyRequest;
    form: undefined;
    reply: CreatedAccessKey;
  };
  /** The same list in pages */
  'GET /v1/access-keys': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: AccessKeyPage;
  };
  /** Read an access key */
  'GET /v1/access-keys/{accessKey}/': {
    params: {
      accessKey: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: AccessKey;
  };
  /** Replace the name of an access key, its scopes and its export strategies */
  'PUT /v1/access-keys/{accessKey}/': {
    params: {
      accessKey: string;
    };
    query: Record<never, never>;
    body: AccessKeyReplacement;
    form: undefined;
    reply: AccessKey;
  };
  /** Change the name of an access key, its scopes or its export strategies */
  'PATCH /v1/access-keys/{accessKey}/': {
    params: {
      accessKey: string;
    };
    query: Record<never, never>;
    body: AccessKeyChange;
    form: undefined;
    reply: AccessKey;
  };
  /** Revoke an access key, and every token signed with it */
  'DELETE /v1/access-keys/{accessKey}/': {
    params: {
      accessKey: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** Who changed what, newest first */
  'GET /v1/audit-log/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
      resource?: string;
      resource_id?: string;
      actor_id?: string;
      time_start?: string;
      time_end?: string;
    };
    body: undefined;
    form: undefined;
    reply: AuditPage;
  };
  /** List the webhooks of the workspace */
  'GET /v1/webhooks/': {
    params: Record<never, never>;
    query: {
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: Webhook[];
  };
  /** Be told of an event by HTTP POST */
  'POST /v1/webhooks/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: WebhookRequest;
    form: undefined;
    reply: Webhook;
  };
  /** The same list in pages */
  'GET /v1/webhooks': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: WebhookPage;
  };
  /** Read a webhook */
  'GET /v1/webhooks/{webhookId}/': {
    params: {
      webhookId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Webhook;
  };
  /** Replace a webhook */
  'PUT /v1/webhooks/{webhookId}/': {
    params: {
      webhookId: string;
    };
    query: Record<never, never>;
    body: WebhookRequest;
    form: undefined;
    reply: Webhook;
  };
  /** Change what is sent */
  'PATCH /v1/webhooks/{webhookId}/': {
    params: {
      webhookId: string;
    };
    query: Record<never, never>;
    body: WebhookChange;
    form: undefined;
    reply: Webhook;
  };
  /** Remove a webhook and its log; nothing more is sent */
  'DELETE /v1/webhooks/{webhookId}/': {
    params: {
      webhookId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** Send the event svc.webhook.on_test; how it went is in the attempts */
  'POST /v1/webhooks/{webhookId}/test/': {
    params: {
      webhookId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: WebhookMessage;
  };
  /** Attempts to deliver, newest first */
  'GET /v1/webhooks/{webhookId}/attempts/': {
    params: {
      webhookId: string;
    };
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
      message_id?: string;
    };
    body: undefined;
    form: undefined;
    reply: WebhookAttemptPage;
  };
  /** Send the message of an attempt again, under the same id */
  'POST /v1/webhooks/{webhookId}/attempts/{attemptId}/replay/': {
    params: {
      webhookId: string;
      attemptId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: WebhookMessage;
  };
  /** List batches, newest first */
  'GET /v1/batches/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
      parent?: string;
      search?: string;
    };
    body: undefined;
    form: undefined;
    reply: BatchPage;
  };
  /** Create a batch; jobs are posted into it with `batch` */
  'POST /v1/batches/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: BatchRequest;
    form: undefined;
    reply: Batch;
  };
  /** Make a batch of jobs from each file */
  'POST /v1/batches/files/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: BatchFilesForm;
    reply: BatchFileResult[];
  };
  /** Read a batch */
  'GET /v1/batches/{batchId}/': {
    params: {
      batchId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Batch;
  };
  /** Remove a batch and those in it, and abort their jobs */
  'DELETE /v1/batches/{batchId}/': {
    params: {
      batchId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** Jobs of a batch, newest first; those of the batches in it are not among them */
  'GET /v1/batches/{batchId}/jobs/': {
    params: {
      batchId: string;
    };
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
      state?: JobState;
    };
    body: undefined;
    form: undefined;
    reply: JobPage;
  };
  /** Sum up the diversity of a batch and of each batch in it */
  'POST /v1/batches/{batchId}/report/': {
    params: {
      batchId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Report;
  };
  /** List reports, newest first */
  'GET /v1/reports/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: ReportPage;
  };
  /** Read a report */
  'GET /v1/reports/{reportId}/': {
    params: {
      reportId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Report;
  };
  /** Remove a report */
  'DELETE /v1/reports/{reportId}/': {
    params: {
      reportId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** What a report says of each batch: its jobs and those of all batches below it */
  'GET /v1/reports/{reportId}/items/': {
    params: {
      reportId: string;
    };
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
    };
    body: undefined;
    form: undefined;
    reply: ReportItemPage;
  };
  /** Have files made of what is stored */
  'POST /v1/exports/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: ExportRequest;
    form: undefined;
    reply: Export;
  };
  /** List exports, newest first */
  'GET /v1/exports/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: ExportPage;
  };
  /** Read an export */
  'GET /v1/exports/{exportId}/': {
    params: {
      exportId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Export;
  };
  /** Files of an export, kept for a week */
  'GET /v1/exports/{exportId}/artifacts/': {
    params: {
      exportId: string;
    };
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: ArtifactPage;
  };
  /** Download a file of an export */
  'GET /v1/exports/{exportId}/artifacts/{artifactId}/file/': {
    params: {
      exportId: string;
      artifactId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** List transcripts, newest first */
  'GET /v1/transcripts/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
      search?: string;
      tag?: string;
      job_id?: string;
    };
    body: undefined;
    form: undefined;
    reply: TranscriptPage;
  };
  /** Make a transcript of what a job has heard */
  'POST /v1/transcripts/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: TranscriptRequest;
    form: undefined;
    reply: Transcript;
  };
  /** Read a transcript */
  'GET /v1/transcripts/{transcriptId}/': {
    params: {
      transcriptId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Transcript;
  };
  /** Delete a transcript with all its versions and exports */
  'DELETE /v1/transcripts/{transcriptId}/': {
    params: {
      transcriptId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** What the caller may do with a transcript */
  'GET /v1/transcripts/{transcriptId}/access/': {
    params: {
      transcriptId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: TranscriptAccess;
  };
  /** The sound or film that was heard */
  'GET /v1/transcripts/{transcriptId}/media/': {
    params: {
      transcriptId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** List the variants of a transcript */
  'GET /v1/transcripts/{transcriptId}/variants/': {
    params: {
      transcriptId: string;
    };
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: TranscriptVariantPage;
  };
  /** Add a variant in another language */
  'POST /v1/transcripts/{transcriptId}/variants/': {
    params: {
      transcriptId: string;
    };
    query: Record<never, never>;
    body: TranscriptVariantRequest;
    form: undefined;
    reply: TranscriptVariant;
  };
  /** Read a variant */
  'GET /v1/transcripts/{transcriptId}/variants/{variantId}/': {
    params: {
      transcriptId: string;
      variantId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: TranscriptVariant;
  };
  /** Delete a variant with all its versions and exports */
  'DELETE /v1/transcripts/{transcriptId}/variants/{variantId}/': {
    params: {
      transcriptId: string;
      variantId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** List the versions of a variant, newest first */
  'GET /v1/transcripts/{transcriptId}/variants/{variantId}/versions/': {
    params: {
      transcriptId: string;
      variantId: string;
    };
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: TranscriptVersionPage;
  };
  /** Save a version: changes of the newest one, or an older one brought back */
  'POST /v1/transcripts/{transcriptId}/variants/{variantId}/versions/': {
    params: {
      transcriptId: string;
      variantId: string;
    };
    query: Record<never, never>;
    body: VersionRequest;
    form: undefined;
    reply: TranscriptVersion;
  };
  /** Read a version */
  'GET /v1/transcripts/{transcriptId}/variants/{variantId}/versions/{version}/': {
    params: {
      transcriptId: string;
      variantId: string;
      version: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: TranscriptVersion;
  };
  /** Forget a version */
  'DELETE /v1/transcripts/{transcriptId}/variants/{variantId}/versions/{version}/': {
    params: {
      transcriptId: string;
      variantId: string;
      version: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** What lies between two versions */
  'GET /v1/transcripts/{transcriptId}/variants/{variantId}/versions/{version}/diff/': {
    params: {
      transcriptId: string;
      variantId: string;
      version: string;
    };
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      from: string;
    };
    body: undefined;
    form: undefined;
    reply: ParagraphDifferencePage;
  };
  /** Paragraphs of a version, in their order */
  'GET /v1/transcripts/{transcriptId}/variants/{variantId}/versions/{version}/paragraphs/': {
    params: {
      transcriptId: string;
      variantId: string;
      version: string;
    };
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      search?: string;
    };
    body: undefined;
    form: undefined;
    reply: TranscriptParagraphPage;
  };
  /** Read a paragraph as it is in a version */
  'GET /v1/transcripts/{transcriptId}/variants/{variantId}/versions/{version}/paragraphs/{paragraphId}/': {
    params: {
      transcriptId: string;
      variantId: string;
      version: string;
      paragraphId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: TranscriptParagraph;
  };
  /** Replace the text and the speaker of a paragraph */
  'PUT /v1/transcripts/{transcriptId}/variants/{variantId}/versions/{version}/paragraphs/{paragraphId}/': {
    params: {
      transcriptId: string;
      variantId: string;
      version: string;
      paragraphId: string;
    };
    query: Record<never, never>;
    body: ParagraphRequest;
    form: undefined;
    reply: TranscriptParagraph;
  };
  /** Change some of a paragraph */
  'PATCH /v1/transcripts/{transcriptId}/variants/{variantId}/versions/{version}/paragraphs/{paragraphId}/': {
    params: {
      transcriptId: string;
      variantId: string;
      version: string;
      paragraphId: string;
    };
    query: Record<never, never>;
    body: ParagraphChange;
    form: undefined;
    reply: TranscriptParagraph;
  };
  /** List the workspaces of the installation, the oldest first */
  'GET /v1/workspaces/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: WorkspacePage;
  };
  /** Create a workspace; the reply shows its first API key once */
  'POST /v1/workspaces/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: WorkspaceRequest;
    form: undefined;
    reply: CreatedWorkspace;
  };
  /** Read a workspace */
  'GET /v1/workspaces/{workspaceId}/': {
    params: {
      workspaceId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Workspace;
  };
  /** Change the name or the limits of a workspace */
  'PATCH /v1/workspaces/{workspaceId}/': {
    params: {
      workspaceId: string;
    };
    query: Record<never, never>;
    body: WorkspaceChange;
    form: undefined;
    reply: Workspace;
  };
  /** Erase a workspace with everything in it */
  'DELETE /v1/workspaces/{workspaceId}/': {
    params: {
      workspaceId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: WorkspaceReceipt;
  };
}
