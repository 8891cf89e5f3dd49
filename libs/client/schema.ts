/* Written from docs/api/openapi.json by generate-schema.ts; not to be edited. */

export type AccessKey = {
  /** Identifies the access key, and stands before the dot of its tokens; no secret */
  key: string;
  /** Name that its owner gave it */
  name: string;
  /** Always `jwt`: its tokens are JSON Web Tokens */
  type: "jwt";
  /** Rights of its tokens */
  scopes: AccessScope[];
  /** The exports that its export scopes reach; `transcript_export` is always one of them */
  export_strategies: ExportStrategy[];
  /** When it was created */
  time_created: string;
};

export type AccessKeyChange = {
  /** Name of your own, 1 to 255 characters */
  name?: string;
  /** Rights of its tokens */
  scopes?: AccessScope[];
  /** The exports that the export scopes reach beside `transcript_export`, which they always do */
  export_strategies?: ExportStrategy[];
};

export type AccessKeyPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: AccessKey[];
};

export type AccessKeyReplacement = {
  /** Name of your own, 1 to 255 characters */
  name: string;
  /** Rights of its tokens */
  scopes: AccessScope[];
  /** The exports that the export scopes reach beside `transcript_export`, which they always do */
  export_strategies?: ExportStrategy[];
};

export type AccessKeyRequest = {
  /** Name of your own, 1 to 255 characters */
  name: string;
  /** Always `jwt`: its tokens are JSON Web Tokens */
  type?: "jwt";
  /** Rights of its tokens */
  scopes: AccessScope[];
  /** The exports that the export scopes reach beside `transcript_export`, which they always do */
  export_strategies?: ExportStrategy[];
};

export type AccessScope = "transcript.read" | "transcript.write" | "export.read" | "export.write";

export type ApiKey = {
  /** Id of the API key */
  id: string;
  /** Name that its owner gave it */
  name: string;
  /** First characters of the key, to recognise it */
  prefix: string;
  /** Its rights */
  role: ApiKeyRole;
  /** Most requests a second. Null: as the gateway is configured; 0: no limit */
  requests_per_second: number | null;
  /** Most jobs a day. Null: as the gateway is configured; 0: no limit */
  jobs_per_day: number | null;
  /** When it was created */
  time_created: string;
  /** When it was used last, exact to a minute; null when never */
  time_last_used: string | null;
  /** When it ends, since it was rotated; null: never */
  time_expires: string | null;
};

export type ApiKeyChange = {
  /** Name of your own, 1 to 100 characters */
  name?: string;
  /** Its rights */
  role?: ApiKeyRole;
  /** Most requests a second. Null: as the gateway is configured; 0: no limit */
  requests_per_second?: number | null;
  /** Most jobs a day. Null: as the gateway is configured; 0: no limit */
  jobs_per_day?: number | null;
};

export type ApiKeyPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: ApiKey[];
};

export type ApiKeyRequest = {
  /** Name of your own, 1 to 100 characters */
  name: string;
  /** Its rights; default `member` */
  role?: ApiKeyRole;
  /** Most requests a second. Null: as the gateway is configured; 0: no limit */
  requests_per_second?: number | null;
  /** Most jobs a day. Null: as the gateway is configured; 0: no limit */
  jobs_per_day?: number | null;
};

export type ApiKeyRole = "owner" | "admin" | "member" | "reader";

export type ApiKeyRotation = {
  /** Seconds for which the key before stays valid, at most a week; default 0 */
  overlap_seconds?: number;
};

export type Artifact = {
  /** Id of the file */
  id: string;
  /** Name of the file */
  filename: string;
  /** Its media type; null where it is not known */
  mime_type: string | null;
  /** When it was made */
  time_created: string;
  /** When it is deleted: a week after it was made */
  time_expiration: string;
  /** Export that made it; left out of others */
  export_id?: string;
  /** Job that made it; left out of others */
  job_id?: string;
};

export type ArtifactPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: Artifact[];
};

export type AttributeStatistics = {
  /** Head poses of its images */
  head_pose: HeadPoseStatistics;
};

export type AudioFacts = {
  /** Always `audio` */
  kind: "audio";
  /** Container, as ffprobe names it */
  container: string;
  /** Codec, as ffprobe names it */
  codec: string;
  /** Seconds */
  duration: number;
  /** Channels of sound */
  channels: number;
  /** Samples a second */
  sampleRate: number;
  /** True of a live stream without pictures: its duration is not known before it has ended; else left out */
  live?: true;
};

export type AudioStream = {
  /** Index of the stream in the file */
  stream: number;
  /** Codec, as ffprobe names it */
  codec: string;
  /** Channels of sound */
  channels: number;
  /** Samples a second */
  sampleRate: number;
  /** Language stated by the file, in ISO 639-1 if possible; left out if not stated */
  language?: string;
};

export type AuditActor = {
  /** Whether an API key, the token of an access key or a browser that a member signed in with was used */
  kind: AuditActorKind;
  /** Id of the API key or the member, or `key` of the access key */
  id: string;
  /** Name of the key or the member at that time */
  name: string;
};

export type AuditActorKind = "api-key" | "access-key" | "member";

export type AuditEntry = {
  /** Grows with each entry */
  id: number;
  /** When the change was made */
  time: string;
  /** Who made it */
  actor: AuditActor;
  /** `created`, `replaced`, `changed`, `deleted`, or the name of the command, as in `stop` and `rotate` */
  action: string;
  /** Kind of thing as its path names it, e.g. `api-keys` */
  resource: string;
  /** Id of the thing; null where there is none */
  resource_id: string | null;
  /** Names of the fields that were sent; never their values */
  fields: string[];
  /** X-Request-Id of the request */
  request_id: string;
};

export type AuditPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: AuditEntry[];
};

export type Batch = {
  /** Id of the batch */
  id: string;
  /** Name of the batch */
  name: string;
  /** Description by its owner; may be empty */
  description: string;
  /** Id of the batch it lies in; null at the top */
  parent: string | null;
  /** When it was created */
  time_created: string;
  /** When it was changed last */
  time_updated: string;
};

export type BatchFileResult = {
  /** Name of the file */
  file: string;
  /** Whether its jobs were made */
  success: boolean;
  /** Faults by line, in which case nothing of the file was imported; null for an imported file */
  error: string | null;
  /** The batch of its jobs; null of a file that was not taken */
  batch: Batch | null;
};

export type BatchFilesForm = {
  /** CSV files with the header `source,tag,modules` */
  files: Blob[];
  /** Id of the batch that the new ones go into; left out with `parent_name` */
  parent_id?: string;
  /** Name of the batch at the top that the new ones go into, made where there is none; left out with `parent_id` */
  parent_name?: string;
};

export type BatchPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: Batch[];
};

export type BatchRequest = {
  /** Name of the batch, 1 to 255 characters */
  name: string;
  /** Description; default: empty */
  description?: string;
  /** Id of the batch it lies in; null, the default: at the top */
  parent?: string | null;
};

export type Box = {
  /** Left edge, as a fraction of the width */
  x: number;
  /** Upper edge, as a fraction of the height */
  y: number;
  /** Width, as a fraction of the width */
  w: number;
  /** Height, as a fraction of the height */
  h: number;
};

export type Canary = {
  /** Another one for each time that a version is tried */
  id: string;
  /** `running` until it is `promoted`, `dropped` or `ended` */
  state: CanaryState;
  /** Why it ended; null for any other state */
  reason: string | null;
  /** The candidate */
  version: number;
  /** The one whose answers clients got */
  stable_version: number;
  /** Part of the chunks that the candidate looks at as well, 0 to 1 */
  share: number;
  /** When it was begun */
  time_created: string;
  /** When it ended; null while it runs */
  time_ended: string | null;
  /** Parts of films, and photos, of the share */
  units: CanaryUnits;
  /** Numbers of compared and of differing pictures */
  pictures: CanaryPictures;
  /** Part of what either saw that both saw, 0..1; null before anything was */
  agreement: number | null;
  /** Largest differences first, at most 1000 */
  labels: CanaryLabel[];
  /** Latency of one picture in the network, while both ran */
  latency: CanaryLatency;
  /** Pictures of this workspace with the largest differences, worst first */
  differing_pictures: CanaryPicture[];
};

export type CanaryLabel = {
  /** Empty for words that jobs looked for */
  label: string;
  /** Times that both said it */
  both: number;
  /** Times that the version in use alone said it */
  only_stable: number;
  /** Times that the candidate alone said it */
  only_candidate: number;
};

export type CanaryLatency = {
  /** Latency of the version in use; null before it ran */
  stable: RunLatency | null;
  /** Latency of the candidate; null before it ran */
  candidate: RunLatency | null;
};

export type CanaryPicture = {
  /** Id for /v1/models/{id}/canary/pictures/{picture_id}/ */
  id: string;
  /** Job whose media it is of */
  job_id: string;
  /** Frame number from the start of the source, from 0; 0 of a photo */
  frame: number;
  /** Seconds from the beginning of the source */
  time: number;
  /** Sum of the scores of what one alone saw */
  difference: number;
  /** Detections of the version in use */
  stable: CanarySighting[];
  /** Detections of the candidate */
  candidate: CanarySighting[];
};

export type CanaryPictures = {
  /** Pictures that both versions looked at */
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
  /** The detected label */
  label: string;
  /** The network’s own, 0..1 */
  score: number;
  /** In fractions of the picture; null for what is said of the whole of it */
  box: CanarySightingBox | null;
};

export type CanarySightingBox = {
  /** Left edge, as a fraction of the width */
  x: number;
  /** Upper edge, as a fraction of the height */
  y: number;
  /** Width, as a fraction of the width */
  w: number;
  /** Height, as a fraction of the height */
  h: number;
};

export type CanaryState = "running" | "promoted" | "dropped" | "ended";

export type CanaryUnits = {
  /** Units that both versions looked at */
  compared: number;
  /** Not looked at again: there was more than could be, or the process ended */
  skipped: number;
  /** Pictures on which the candidate failed */
  failed: number;
  /** Why the candidate last gave no answer; null when it never failed */
  last_error: string | null;
};

export type ClassChange = {
  /** Name of the person or landmark, 1 to 255 characters */
  label?: string;
  /** false: it is left out of trainings */
  active?: boolean;
  /** Notes of your own */
  notes?: string;
  /** A day (UTC) or a time with its zone from which on it is left out of trainings; null: never */
  expiration_date?: string | null;
  /** A number of your own; Adit gives classes that a lower third made 1 */
  level?: number;
  /** Objects of your own, at most 32 KiB; of landmarks, `type`, `latitude`, `longitude` and `location` are read */
  custom_fields?: (Record<string, unknown>)[];
  /** Your own id of it, unique within the dataset */
  reference?: string;
};

export type ClassEvaluation = {
  /** Statistics over its images; left out until they have been evaluated */
  attribute_statistics?: AttributeStatistics;
};

export type ClassRequest = {
  /** Name of the person or landmark, 1 to 255 characters */
  label: string;
  /** Default: a UUID */
  reference?: string;
  /** false: it is left out of trainings; default true */
  active?: boolean;
  /** Notes of your own; default: empty */
  notes?: string;
  /** A day (UTC) or a time with its zone from which on it is left out of trainings; null, the default: never */
  expiration_date?: string | null;
  /** A number of your own; default 0 */
  level?: number;
  /** Objects of your own, at most 32 KiB; of landmarks, `type`, `latitude`, `longitude` and `location` are read */
  custom_fields?: (Record<string, unknown>)[];
};

export type ClockGaps = {
  /** Their number */
  count: number;
  /** Seconds of all of them together */
  seconds: number;
  /** The longest, in the order of time */
  longest: ClockGapsLongestItem[];
};

export type ClockGapsLongestItem = {
  /** Seconds from the first frame */
  from: number;
  /** Seconds from the first frame */
  to: number;
};

export type ClosePair = {
  /** One class */
  class_id: string;
  /** The other class */
  other_class_id: string;
  /** Least distance of a photo of one to the other */
  distance: number;
  /** Photos held out that were nearer to the other class */
  confused: number;
};

export type CreatedAccessKey = {
  /** Identifies the access key, and stands before the dot of its tokens; no secret */
  key: string;
  /** Name that its owner gave it */
  name: string;
  /** Always `jwt`: its tokens are JSON Web Tokens */
  type: "jwt";
  /** Rights of its tokens */
  scopes: AccessScope[];
  /** The exports that its export scopes reach; `transcript_export` is always one of them */
  export_strategies: ExportStrategy[];
  /** When it was created */
  time_created: string;
  /** Signs the tokens; shown this once, never again */
  secret: string;
};

export type CreatedApiKey = {
  /** Id of the API key */
  id: string;
  /** Name that its owner gave it */
  name: string;
  /** First characters of the key, to recognise it */
  prefix: string;
  /** Its rights */
  role: ApiKeyRole;
  /** Most requests a second. Null: as the gateway is configured; 0: no limit */
  requests_per_second: number | null;
  /** Most jobs a day. Null: as the gateway is configured; 0: no limit */
  jobs_per_day: number | null;
  /** When it was created */
  time_created: string;
  /** When it was used last, exact to a minute; null when never */
  time_last_used: string | null;
  /** When it ends, since it was rotated; null: never */
  time_expires: string | null;
  /** The key itself; shown this once, never again */
  key: string;
};

export type CreatedInvitation = {
  /** Id of the invitation */
  id: string;
  /** Address of e-mail */
  email: string;
  /** Rights that it gives */
  role: MemberRole;
  /** When it was made */
  time_created: string;
  /** Until when it can be accepted */
  time_expires: string;
  /** Address to open; shown this once, never again */
  link: string;
};

export type CreatedWorkspace = {
  /** Id of the workspace */
  id: string;
  /** Name of the workspace */
  name: string;
  /** Bytes its files, transcripts and recordings may have; null: as the gateway is configured, 0: no limit */
  storage_bytes: number | null;
  /** Its quotas beside `storage_bytes`; one that is left out is not set */
  quotas: Quotas;
  /** Bytes its files, transcripts and recordings have, uploads under way included */
  storage_used: number;
  /** Its share of the machines against other workspaces */
  weight: number;
  /** Whether observations of media are cached for later jobs */
  observation_cache: boolean;
  /** When it was created */
  time_created: string;
  /** Its first API key, of the role admin */
  key: string;
};

export type Dataset = {
  /** Id of the dataset */
  id: string;
  /** Name of the dataset */
  name: string;
  /** Description by its owner; may be empty */
  description: string;
  /** `face` trains models of people only, `landmark` of landmarks only */
  type: DatasetType;
  /** Grows with each change of the dataset, its classes or images */
  version: number;
  /** When it was created */
  time_created: string;
  /** When it, its classes or images were changed last */
  time_updated: string;
  /** Classes in it */
  number_of_classes: number;
  /** Classes that trainings take */
  number_of_active_classes: number;
  /** Images in all classes */
  number_of_images: number;
  /** Active images of active classes */
  number_of_active_images: number;
  /** The first image of each of the first three classes */
  preview_images: string[];
  /** Summary of the evaluated images; empty before */
  evaluation_result: DatasetEvaluation;
  /** The part of its images that has been evaluated */
  evaluation_state: number;
  /** Its problems */
  issues: DatasetIssues;
};

export type DatasetChange = {
  /** Name of the dataset, 1 to 255 characters */
  name?: string;
  /** Description */
  description?: string;
};

export type DatasetClass = {
  /** Id of the class */
  id: string;
  /** The client’s own id, unique within the dataset */
  reference: string;
  /** Name of the person or landmark */
  label: string;
  /** Its first image */
  preview_image: DatasetImage | null;
  /** When it was created */
  time_created: string;
  /** When it was changed last */
  time_updated: string;
  /** By evaluator */
  time_evaluated: Record<string, string>;
  /** Inactive classes are left out of trainings */
  active: boolean;
  /** Notes of its owner; may be empty */
  notes: string;
  /** From then on it is left out of trainings */
  expiration_date: string | null;
  /** 1 of a class that a lower third made; 0, or what its owner chose, of others */
  level: number;
  /** Images in it, inactive ones included */
  number_of_images: number;
  /** Objects of your own, kept as they are; of landmarks, `type`, `latitude`, `longitude` and `location` are read */
  custom_fields: (Record<string, unknown>)[];
  /** Type of its dataset */
  type: DatasetType;
  /** Summary of the evaluated images; empty before */
  evaluation_result: ClassEvaluation;
};

export type DatasetClassPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: DatasetClass[];
};

export type DatasetEvaluation = {
  /** Classes by the gender most of their faces look like */
  gender_statistics?: Record<string, number>;
};

export type DatasetImage = {
  /** Id of the image */
  id: string;
  /** storage:// address of the picture */
  file_uri: string;
  /** When it was added */
  time_created: string;
  /** When it was changed last */
  time_updated: string;
  /** Inactive images are left out of trainings */
  active: boolean;
  /** Notes of its owner; may be empty */
  notes: string;
  /** A job found it by its lower third */
  is_auto_generated: boolean;
  /** Result of the evaluation; empty before it */
  evaluation_result: ImageEvaluation;
};

export type DatasetImageForm = {
  /** The picture */
  file: Blob;
  /** false: it is left out of trainings; default true */
  active?: boolean;
  /** Notes of your own; default: empty */
  notes?: string;
};

export type DatasetImagePage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: DatasetImage[];
};

export type DatasetImport = {
  /** Id of the import */
  id: string;
  /** Dataset that the pictures go into */
  dataset_id: string;
  /** The storage:// address that it was given; null with a folder */
  file_uri: string | null;
  /** The folder that it was given; null with a file */
  folder: string | null;
  /** `waiting` and `processing` until it is `completed` or `failed` */
  state: TaskState;
  /** From 0 to 1 */
  progress: number;
  /** Why all of it failed; what was imported before stays */
  error_msg: string | null;
  /** Number of its files; 0 until it has begun */
  number_of_files: number;
  /** Number created */
  number_of_images: number;
  /** Number created */
  number_of_classes: number;
  /** Files that it could not import: a list of their own says why */
  number_of_errors: number;
  /** When it was asked for */
  time_created: string;
  /** When it began; null before */
  time_started: string | null;
  /** When it ended; null before */
  time_completed: string | null;
  /** When this record goes; what was imported stays */
  time_expiration: string | null;
};

export type DatasetImportError = {
  /** Its path, or its line of the CSV */
  file: string;
  /** Kind of fault, in one word for programs */
  code: string;
  /** Description of the fault for people */
  message: string;
};

export type DatasetImportErrorPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: DatasetImportError[];
};

export type DatasetImportPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: DatasetImport[];
};

export type DatasetImportRequest = {
  /** storage:// address of a zip with a folder for each class, of a dataset that was exported, or of a CSV */
  file_uri?: string;
  /** A folder of the storage with a folder for each class */
  folder?: string;
};

export type DatasetIssue = {
  /** `error`: a training would fail; `warning`: it goes on */
  level: IssueLevel;
  /** Kind of fault, in one word for programs */
  code: string;
  /** Description of the fault for people */
  message: string;
  /** Number of images concerned; 0 if it concerns classes */
  number_of_images: number;
  /** The first of them */
  images: IssueImage[];
};

export type DatasetIssues = {
  /** Whether one of the reasons is an error */
  has_error: boolean;
  /** Whether one of the reasons is a warning */
  has_warning: boolean;
  /** All that is wrong */
  reasons: DatasetIssue[];
};

export type DatasetPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: Dataset[];
};

export type DatasetReplacement = {
  /** Name of the dataset, 1 to 255 characters */
  name: string;
  /** Description; default: empty */
  description?: string;
};

export type DatasetRequest = {
  /** Name of the dataset, 1 to 255 characters */
  name: string;
  /** Description; default: empty */
  description?: string;
  /** `face` for people, `landmark` for landmarks; it stays */
  type: DatasetType;
};

export type DatasetType = "face" | "landmark";

export type DeletedJobs = {
  /** The jobs that were removed */
  ids: string[];
  /** Jobs of `ids` that stay, since they are under a legal hold */
  held: string[];
  /** Whether more jobs match: send the request again */
  more: boolean;
};

export type Dependency = {
  /** Name of the dependency */
  name: string;
  /** Whether it can be used */
  ok: boolean;
  /** Why it cannot be used; null where it can */
  reason: string | null;
  /** Seconds that it took to answer */
  duration: number;
};

export type DetailedResult = {
  /** Kind of the source; pages of a document are images */
  media_type: DetailedResultMediaType;
  /** First frame that shows it, from 0; of images their index in the job, of documents the page, null of sound */
  frame_start: number | null;
  /** Last frame that shows it, inclusive and counted as in `frame_start` */
  frame_end: number | null;
  /** Seconds from the start of the source; 0 of images */
  time_start: number;
  /** Seconds from the start of the source; 0 of images */
  time_end: number;
  /** SMPTE timecode of the start, `HH:MM:SS:FF`, or `HH:MM:SS;FF` in drop-frame */
  tc_start: string;
  /** SMPTE timecode of the end, in the same form */
  tc_end: string;
  /** Wall clock of the start; of live streams alone */
  time_of_day?: string;
  /** The source, as posted */
  source: string;
  /** Name of the file: as it was uploaded, or the last part of its path or address */
  source_name: string;
  /** Module that found it, as results call it */
  module: string;
  /** Result in the fields of the module */
  meta: Record<string, unknown>;
  /** Places by frame, at most 1000 */
  detections: Detection[];
  /** Picture of it; null where there is none */
  thumbnail: Thumbnail | null;
};

export type DetailedResultMediaType = "video" | "image" | "audio" | "videostream";

export type DetailedResultPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: DetailedResult[];
};

export type Detection = {
  /** Frame that it is seen in, counted as in `frame_start` */
  frame_index: number;
  /** Kind of `data`, such as `face_bbox` */
  type: string;
  /** For a box: `x`, `y`, `w` and `h` as fractions of the frame, 0 to 1 */
  data: Record<string, number>;
};

export type Dictionary = {
  /** Id of the dictionary */
  id: string;
  /** Name of the dictionary */
  name: string;
  /** `simple`: a list of entries; `map`: labels and what replaces them */
  type: DictionaryType;
  /** Results of this language alone are compared with it; `any`: all */
  language: DictionaryLanguage;
  /** When it was uploaded */
  time_created: string;
  /** Whether it comes with Adit, and cannot be changed or deleted */
  is_public: boolean;
};

export type DictionaryChangeForm = {
  /** Name of the dictionary, 1 to 255 characters */
  name?: string;
  /** any, auto, or a language by name (german) or code (de) */
  language?: string;
  /** text/plain: an entry a line. text/csv: a header with at least the columns source and target. UTF-8. */
  file?: Blob;
};

export type DictionaryForm = {
  /** Default: the name of the file */
  name?: string;
  /** any, auto, or a language by name (german) or code (de) */
  language?: string;
  /** text/plain: an entry a line. text/csv: a header with at least the columns source and target. UTF-8. */
  file: Blob;
};

export type DictionaryLanguage = "any" | "amharic" | "arabic" | "azerbaijani" | "belarusian" | "bulgarian" | "bengali" | "catalan" | "czech" | "danish" | "german" | "greek" | "english" | "spanish" | "estonian" | "basque" | "persian" | "finnish" | "french" | "gujarati" | "hebrew" | "hindi" | "croatian" | "hungarian" | "armenian" | "icelandic" | "italian" | "japanese" | "georgian" | "kannada" | "korean" | "kurdish" | "lao" | "lithuanian" | "latvian" | "malayalam" | "marathi" | "malay" | "dutch" | "norwegian" | "odia" | "punjabi" | "polish" | "portuguese" | "romanian" | "russian" | "slovak" | "slovene" | "albanian" | "serbian" | "swedish" | "tamil" | "telugu" | "thai" | "tagalog" | "turkish" | "ukrainian" | "urdu" | "vietnamese" | "yoruba" | "chinese";

export type DictionaryPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: Dictionary[];
};

export type DictionaryReplacementForm = {
  /** Name of the dictionary, 1 to 255 characters */
  name: string;
  /** any, auto, or a language by name (german) or code (de) */
  language?: string;
  /** text/plain: an entry a line. text/csv: a header with at least the columns source and target. UTF-8. */
  file?: Blob;
};

export type DictionarySpecification = {
  /** Id of the dictionary */
  id: string;
  /** Comparison of labels and entries: equal, similar, or containing the entry. Case does not matter. Default `exact` */
  mode?: DictionarySpecificationMode;
  /** Least normalised Levenshtein similarity of `fuzzy`, 0 to 1; default 0.8 */
  threshold?: number;
};

export type DictionarySpecificationMode = "exact" | "fuzzy" | "contains";

export type DictionaryType = "simple" | "map";

export type DiskKind = "uploads" | "jobs" | "cache" | "models" | "other" | "database" | "work";

export type DiskRoom = {
  /** Bytes of the disk */
  size: number;
  /** Bytes that are free */
  free: number;
};

export type DiskUse = {
  /** By kind; empty until it was measured for the first time. `work` is there where one process does everything: of decoders of their own the metric adit_work_bytes tells */
  kinds: DiskUseOfKind[];
};

export type DiskUseOfKind = {
  /** What takes the space */
  kind: DiskKind;
  /** Bytes that it takes */
  bytes: number;
  /** Number of files or objects; null for the database */
  objects: number | null;
  /** When it was measured */
  time_measured: string;
};

export type DiversityInfo = {
  /** People by gender */
  gender_count: Record<string, number>;
  /** People by age range in years, such as `30-44` */
  age_count: Record<string, number>;
  /** Seconds on screen by person */
  person_screen_time: Record<string, number>;
  /** Seconds on screen by gender */
  gender_screen_time: Record<string, number>;
  /** Seconds on screen by age range */
  age_screen_time: Record<string, number>;
  /** Estimated seconds of speech by gender; empty where no job asked for speech_recognition as well */
  gender_speech_time: Record<string, number>;
  /** Estimated seconds of speech by age range; empty where no job asked for speech_recognition as well */
  age_speech_time: Record<string, number>;
  /** Estimated seconds of speech by name; empty where no job asked for speech_recognition as well */
  name_to_speech_time: Record<string, number>;
};

export type DryRun = {
  /** Kind of the media */
  media_type: string;
  /** By module, as posted */
  modules: Record<string, PlannedModule>;
  /** Facts about each source */
  sources: ProbedSource[];
  /** The amount of media to analyse */
  estimate: Estimate;
  /** Quotas of the workspace by day and by month. A job is refused once one is used up */
  quotas: QuotaForecast[];
};

export type EndedTraining = {
  /** Id of the training */
  id: string;
  /** Type of the dataset */
  type: DatasetType;
  /** Id of the dataset */
  source_dataset_id: string;
  /** The dataset at the time of the request */
  source_dataset: Dataset;
  /** Model that gets a version */
  output_model_name: string;
  /** Purpose of the model */
  output_model_description: string;
  /** Changes in the version */
  output_model_changelog: string;
  /** Selection of faces */
  config: TrainingConfig;
  /** `waiting` and `processing` until it is `completed` or `failed` */
  state: TaskState;
  /** Why it failed; empty otherwise */
  error: string;
  /** From 0 to 1 */
  progress: number;
  /** Seconds */
  duration: number;
  /** When it was posted */
  time_created: string;
  /** When it began; null before */
  time_started: string | null;
  /** When it ended; null before */
  time_completed: string | null;
  /** Model that got a version; null of a training that failed */
  output_model_id: string | null;
  /** Number of that version; null of a training that failed */
  output_model_version: number | null;
};

export type Erasure = {
  /** Id of the erasure */
  id: string;
  /** `processing` until nothing is left, then `completed` */
  state: ErasureState;
  /** What stands in its way, such as a legal hold that was set since; null where nothing does */
  obstacle: string | null;
  /** What was asked to be erased */
  subject: ErasureSubject;
  /** What was removed so far, by kind */
  counts: Record<string, number>;
  /** The key that asked for it */
  requested_by: AuditActor;
  /** X-Request-Id of the request */
  request_id: string;
  /** When it was asked for */
  time_created: string;
  /** When nothing was left; null before */
  time_completed: string | null;
};

export type ErasurePage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: Erasure[];
};

export type ErasureRequest = {
  /** A person of a face index */
  index_id?: string;
  /** Dataset of the class in `class_id` */
  dataset_id?: string;
  /** A class of the dataset in `dataset_id` */
  class_id?: string;
  /** A stored file, by its storage:// address, or a live stream by the address that its jobs show */
  file_uri?: string;
};

export type ErasureState = "processing" | "completed";

export type ErasureSubject = {
  /** The person of a face index */
  index_id?: string;
  /** Identities that had been merged into it */
  merged?: string[];
  /** Index collection of that person */
  collection_name?: string;
  /** Dataset of the class */
  dataset_id?: string;
  /** The class */
  class_id?: string;
  /** The stored file, or the live stream */
  file_uri?: string;
};

export type Estimate = {
  /** Seconds of films and sound, as far as they were probed */
  media_seconds: number;
  /** Pictures and pages of documents */
  pictures: number;
};

export type Export = {
  /** Id of the export */
  id: string;
  /** Kind of export */
  strategy: string;
  /** When it was asked for */
  time_created: string;
  /** When it ended; null before */
  time_completed: string | null;
  /** `waiting` and `processing` until it is `completed` or `failed` */
  state: TaskState;
  /** From 0 to 1 */
  progress: number;
  /** Why it failed; null otherwise */
  error_msg: string | null;
  /** What could not be done as it was asked for, though there is a file */
  notes: string[];
  /** Configuration of the strategy */
  config: Record<string, unknown>;
};

export type ExportEventData = {
  /** The export */
  export: Export;
};

export type ExportPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: Export[];
};

export type ExportRequest = {
  /** Kind of export */
  strategy: ExportStrategy;
  /** job_results_export: {job_id, format: json | csv | xlsx | zip}; transcript_export: {transcript_id, variant_id, version?, format: srt | vtt | ttml | stl | txt | docx | json, underline_words?}; segments_export: {job_id, format: otio | edl | fcp7xml | fcpxml | ale | avid_markers | resolve_edl | stl | vtt | csv, source?, modules?, labels?, time_start?, time_end?, handles?, refine?}, or {search, format, handles?} with the fields of a search and time_created_from, time_created_to; clips_export: {job_id, source?, modules?, labels?, time_start?, time_end?, exact?, handles?}; basic_dataset_export, coco_export: {dataset_id} */
  config: Record<string, unknown>;
};

export type ExportStrategy = "job_results_export" | "basic_dataset_export" | "coco_export" | "transcript_export" | "segments_export" | "clips_export";

export type FaceAttributes = {
  /** The expression, such as `happy` or `neutral`; null where it is not sure, or seen from the side */
  emotion: string | null;
  /** Whether the face smiles; null where the expression is not known */
  smile: boolean | null;
  /** Always null: no model that is installed tells */
  eyeglasses: boolean | null;
  /** Always null: no model that is installed tells */
  sunglasses: boolean | null;
  /** Whether the eyes are open; null where it is not sure, or seen from the side */
  eyesopen: boolean | null;
  /** Whether the mouth is open; null where it is not sure, or seen from the side */
  mouthopen: boolean | null;
  /** Always null: no model that is installed tells */
  beard: boolean | null;
  /** Always null: no model that is installed tells */
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
  /** Similarity of the two faces, 0..1 */
  similarity: number;
  /** Euclidean distance of the embeddings of the two faces, 0..2 */
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
  /** The one picture itself, in place of its address */
  a?: Blob;
  /** The other picture itself, in place of its address */
  b?: Blob;
};

export type FaceComparisonMatchesItem = {
  /** Whether this face is at most max_distance from the face of a */
  same_person: boolean;
  /** Similarity of the two faces, 0..1 */
  similarity: number;
  /** Euclidean distance of the embeddings of the two faces, 0..2 */
  distance: number;
  /** The face of b */
  face: PictureFace;
};

export type FaceDetection = {
  /** In pixels, as displayed */
  width: number;
  /** In pixels, as displayed */
  height: number;
  /** The largest first; empty when there is none */
  faces: PictureFace[];
  /** The models that looked at the picture, in their exact versions */
  models: ModelPin[];
};

export type FaceDetectionForm = {
  /** Pixels of the picture's shorter side when it reaches the detector; more finds smaller faces. */
  face_detection_scale?: number;
  /** Address of a picture: an uploaded file (storage://…), or an address on the web (https://…) */
  file_uri?: string;
  /** The picture itself, in place of `file_uri` */
  file?: Blob;
};

export type FaceRecognitionArguments = {
  /** Name, id or digest of a gallery. Left out: celebrities, else the one default that is installed. */
  model?: string;
  /** Dictionaries that results are compared with, at most 64; a module that has no use for them ignores them */
  dictionaries?: DictionarySpecification[];
  /** Ranges of each source to analyse, in seconds or in frames; default: all of it */
  range?: ProcessingRange;
  /** Several galleries; the nearest person of all is taken. */
  models?: string[];
  /** A face nearer than this to a person is that person. Left out: what the training of the gallery found, else 1. */
  max_distance?: number;
  /** Tell unknown people apart: Unknown #1, Unknown #2, … */
  cluster_unknowns?: boolean;
  /** Keep unknown people in an index collection, and know them again. Overrides cluster_unknowns. */
  index_unknowns?: boolean;
  /** Name of the index collection. */
  index_collection?: string;
  /** Pixels of the frame's shorter side when it reaches the detector; more finds smaller faces. */
  face_detection_scale?: number;
  /** Name the top_k nearest people in every segment. */
  enable_top_k?: boolean;
  /** How many people, with `enable_top_k` */
  top_k?: number;
};

export type FaceSearch = {
  /** In pixels, as displayed */
  width: number;
  /** In pixels, as displayed */
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
  /** Address of a picture: an uploaded file (storage://…), or an address on the web (https://…) */
  file_uri?: string;
  /** The picture itself, in place of `file_uri` */
  file?: Blob;
};

export type FollowedState = "checking" | "published" | "refused" | "removed";

export type FollowedVersion = {
  /** Name of the model */
  name: string;
  /** Number of the version */
  version_number: number;
  /** `checking`, then `published` or `refused`; `removed` when its files are gone */
  state: FollowedState;
  /** Problem of the files; a published version stays unchanged */
  problem: string | null;
  /** SHA-256 of its files and of what decides how they are used; null before it is known */
  digest: string | null;
  /** When this was last found */
  time_updated: string;
};

export type FoundParagraph = {
  /** Id of the transcript */
  transcript_id: string;
  /** Id of the variant */
  variant_id: string;
  /** Newest version, which it is of */
  version: number;
  /** Id of the paragraph */
  paragraph_id: string;
};

export type FrameRange = {
  /** First frame, from 0, or first image of the job; left out: the first of all */
  frame_start?: number;
  /** Last frame or image, inclusive; left out: the last of all */
  frame_end?: number;
};

export type GetModelsByModelIdKind = "network" | "gallery";

export type GetModelsKind = "network" | "gallery";

export type GetModelsPageKind = "network" | "gallery";

export type GetUsageFormat = "json" | "csv";

export type GetUsageWorkspaces = "own" | "all";

export type HeadPoseStatistics = {
  /** Mean and standard deviation of the turn to the side, in degrees */
  yaw_mean_std: [number, number];
  /** Mean and standard deviation of the nod, in degrees */
  pitch_mean_std: [number, number];
};

export type HealthCheck = {
  /** Name of the dependency */
  name: string;
  /** Whether it can be used */
  ok: boolean;
  /** Whether readiness depends on it */
  needed: boolean;
  /** Milliseconds that the check took */
  tookMs: number;
  /** Why it cannot be used; left out where it can */
  reason?: string;
  /** Further details */
  detail?: string;
};

export type HealthProblem = {
  /** What kind of problem it is */
  code: HealthProblemCode;
  /** What it is about, such as a dependency or a service; may be empty */
  about: string;
  /** What it is and what to do about it, as text for people */
  message: string;
};

export type HealthProblemCode = "dependency_away" | "service_missing" | "builds_mixed" | "quota_fills" | "disk_fills" | "queue_behind" | "streams_wait" | "webhooks_disabled" | "gpu_not_used";

export type HealthReport = {
  /** Whether the check passed */
  ok: boolean;
  /** State of the process */
  state: HealthReportState;
  /** Checks of the dependencies; empty except for /readyz */
  checks: HealthCheck[];
};

export type HealthReportState = "starting" | "running" | "stopping";

export type IdentityErased = {
  /** Id of the erasure */
  id: string;
  /** `processing` until nothing is left, then `completed` */
  state: IdentityErasedState;
  /** What stands in its way, such as a legal hold that was set since; null where nothing does */
  obstacle: string | null;
  /** What was asked to be erased */
  subject: IdentityErasedSubject;
  /** What was removed so far, by kind */
  counts: Record<string, number>;
  /** The key that asked for it */
  requested_by: AuditActor;
  /** X-Request-Id of the request */
  request_id: string;
  /** When it was asked for */
  time_created: string;
  /** When nothing was left; null before */
  time_completed: string | null;
  /** Text for people about what was done */
  message: string;
};

export type IdentityErasedState = "processing" | "completed";

export type IdentityErasedSubject = {
  /** The person of a face index */
  index_id?: string;
  /** Identities that had been merged into it */
  merged?: string[];
  /** Index collection of that person */
  collection_name?: string;
  /** Dataset of the class */
  dataset_id?: string;
  /** The class */
  class_id?: string;
  /** The stored file, or the live stream */
  file_uri?: string;
};

export type IfExists = "refuse" | "replace" | "rename";

export type ImageChange = {
  /** storage:// address of an uploaded picture */
  file_uri?: string;
  /** false: it is left out of trainings */
  active?: boolean;
  /** Notes of your own */
  notes?: string;
  /** Class of the same dataset that it moves to */
  class_id?: string;
};

export type ImageEvaluation = {
  /** Attributes of the largest face; null without one */
  face_attributes?: FaceAttributes | null;
  /** Relation to the other images of its class, or the reason why its face cannot be used */
  face_clustering?: FaceClustering;
};

export type ImageFacts = {
  /** Always `image` */
  kind: "image";
  /** `jpeg`, `png`, `webp`, `tiff`, `gif`, or `pdf` of a page; there may be more */
  format: string;
  /** In pixels, as displayed */
  width: number;
  /** In pixels, as displayed */
  height: number;
};

export type ImageInput = {
  /** Name of the graph's input */
  tensor: string;
  /** In pixels */
  width: number;
  /** In pixels */
  height: number;
  /** Its other inputs by name, as D-FINE has `orig_target_sizes` and DETR `pixel_mask`, and what each is given */
  also?: Record<string, SidePart>;
  /** The graph takes any width, and callers give each row its own; `width` is then what it is tried with */
  openWidth?: boolean;
  /** Order of the dimensions: channels before height and width, or behind them; default `nchw` */
  layout: ImageInputLayout;
  /** False: its graph takes one picture of three dimensions, and gives what it says of it, without that of a batch */
  batch?: boolean;
  /** Order of the colours; default `rgb` */
  colour: ImageInputColour;
  /** Subtracted from values of 0..255, one for all channels or one for each. Default: [0,0,0] */
  mean: number[];
  /** Divisor of the difference, one for all channels or one for each. Default: [1,1,1] */
  std: number[];
  /** How a picture gets the input's shape: bars beside it (`letterbox`, as without), pulled to it (`stretch`), or what is beyond it cut off (`crop`) */
  resize?: ImageInputResize;
  /** With `crop`: pixels of the picture's shorter side before its middle is cut out; the input's longer side without */
  shorterSide?: number;
  /** With `crop`: what is cut out begins at the pixel before where its middle is between two, as Hugging Face's own code has it; without, at the even one, as torchvision */
  floorCrop?: boolean;
  /** Whose resizing the network was trained with. With it photos are looked at as they are and every pixel is as the exporter's code makes it; without, shrunk to the mean of samples, from frames that other networks share */
  filter?: ResizeFilter;
  /** With `letterbox`: what the bars are filled with, black without, and whether the picture is in the centre or top left */
  pad?: ImageInputPad;
};

export type ImageInputColour = "rgb" | "bgr" | "grey";

export type ImageInputLayout = "nchw" | "nhwc";

export type ImageInputPad = {
  /** Brightness of the bars, 0 to 255 */
  value: number;
  /** Position of the picture; default `centre` */
  at: ImageInputPadAt;
};

export type ImageInputPadAt = "centre" | "corner";

export type ImageInputResize = "letterbox" | "stretch" | "crop";

export type ImageReplacement = {
  /** storage:// address of an uploaded picture */
  file_uri?: string;
  /** false: it is left out of trainings; default true */
  active?: boolean;
  /** Notes of your own; default: empty */
  notes?: string;
};

export type IndexCollection = {
  /** Unique in the workspace; what addresses and jobs call it */
  name: string;
  /** Description by its owner; may be empty */
  description: string;
  /** Always `face` */
  type: "face";
  /** Always false */
  is_public: boolean;
  /** Identities in it; merged ones count each */
  number_of_identities: number;
  /** The network whose embeddings it holds; null until the first face. Faces of another network are refused. */
  embedding: IndexCollectionEmbedding | null;
  /** When it was created */
  time_created: string;
  /** When it was changed last */
  time_updated: string;
};

export type IndexCollectionChange = {
  /** Description; default: empty */
  description?: string;
};

export type IndexCollectionEmbedding = {
  /** Name of the network */
  model: string;
  /** SHA-256 of the network's version */
  digest: string;
};

export type IndexCollectionPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: IndexCollection[];
};

export type IndexCollectionRequest = {
  /** Name of the collection, 1 to 128 characters without / \ ? # % */
  name: string;
  /** Description; default: empty */
  description?: string;
  /** Always `face` */
  type?: "face";
};

export type IndexedIdentity = {
  /** Id of the person: ten digits */
  index_id: string;
  /** Empty until somebody gives one */
  label: string;
  /** Index collection that the person is in */
  collection_name: string;
  /** Their face; null when it was not kept */
  thumbnail: Thumbnail | null;
  /** Identities that were given the same label and belong to this one since */
  merged: string[];
  /** When they were first seen */
  time_created: string;
  /** When they were changed last */
  time_updated: string;
};

export type IndexedIdentityChange = {
  /** Two identities of one label are one person; empty takes it away */
  label: string;
};

export type IndexedIdentityPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: IndexedIdentity[];
};

export type IndexedIdentityRequest = {
  /** Id of the person: ten digits */
  index_id: string;
  /** Two identities of one label are one person; empty takes it away */
  label: string;
};

export type InstallationHealth = {
  /** When it was looked at */
  time: string;
  /** What is wrong, and what to do; empty where nothing is known to be */
  problems: HealthProblem[];
  /** What the process that answers needs, as in /readyz */
  dependencies: Dependency[];
  /** What runs */
  services: RunningService[];
  /** The workspace of the key */
  workspace: WorkspaceLoad;
  /** All workspaces together; null for keys of another role than owner */
  installation: InstallationLoad | null;
};

export type InstallationLoad = {
  /** Units of analysis that its workers do at once */
  slots: number;
  /** Queues with messages, the longest first; null while the message bus does not answer */
  queues: QueueLag[] | null;
  /** Exports, reports, trainings and the like that are open, by kind */
  tasks: OpenTasks[];
  /** Live streams */
  streams: StreamLoad;
  /** Models in the memory of the process that answers: all where one process does everything, none where inference runs in processes of its own, whose metric adit_model_loaded tells */
  models: LoadedModel[];
  /** The disk with the data folder of the process that answers; null where that is not known */
  disk: DiskRoom | null;
};

export type InstalledModel = {
  /** Name of the model */
  name: string;
  /** Number of the version */
  version: number;
  /** Whether it is used if a job names none */
  is_default: boolean;
};

export type Invitation = {
  /** Id of the invitation */
  id: string;
  /** Address of e-mail */
  email: string;
  /** Rights that it gives */
  role: MemberRole;
  /** When it was made */
  time_created: string;
  /** Until when it can be accepted */
  time_expires: string;
};

export type InvitationPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: Invitation[];
};

export type InvitationRequest = {
  /** Address of e-mail that the provider knows them by */
  email: string;
  /** Rights that it gives; default `member` */
  role?: MemberRole;
};

export type IssueImage = {
  /** Class that the image is of */
  class_id: string;
  /** Id of the image */
  image_id: string;
};

export type IssueLevel = "error" | "warning";

export type Job = {
  /** Id of the job */
  id: string;
  /** Text of your own; empty where none was given */
  tag: string;
  /** `waiting`, then `processing` until it is `completed`, `stopped` or `failed` */
  state: JobState;
  /** Errors so far as text for people, such as a source that cannot be read */
  errors: string[];
  /** From 0 to 1; of a live stream 0 until it has ended */
  progress: number;
  /** Seconds from its start to its end, or until now */
  duration: number;
  /** When it was posted */
  time_created: string;
  /** When its first source was opened; null before */
  time_started: string | null;
  /** When it ended; null before */
  time_completed: string | null;
  /** All of them where one job is asked for; the first 100 in lists and webhooks, as in `result.summary`. A live stream without user name, password and query */
  sources: string[];
  /** Names of `sources`, in the same order */
  source_names: string[];
  /** Number of its sources, also if `sources` is shortened */
  source_count: number;
  /** Address of the whole job */
  link: string;
  /** By module as posted: its arguments with their defaults, its state and its progress */
  modules: Record<string, JobModule>;
  /** Guessed when it is posted, corrected before `processing` */
  media_type: MediaType;
  /** Seconds after its end at which it is deleted; null: never */
  ttl: number | null;
  /** 0 to 9, higher goes first */
  priority: number;
  /** Number of the programme of its transport streams that is mined alone; left out where none was asked for */
  program?: number;
  /** Id of the batch it belongs to; null: none */
  batch: string | null;
  /** To be removed in version 2: read the detailed results and the summarized results instead */
  result: JobResult;
  /** Address of the gaps of its live stream; left out of other jobs */
  gaps?: string;
  /** Address of the recording of its live stream; left out where there is none */
  recording?: string;
  /** Seconds after which the next job goes on with its live stream; null: never. Left out of other jobs */
  rotate_seconds?: number | null;
  /** Id of the job that had its live stream before; null: none, or it was deleted. Left out of other jobs */
  previous_part?: string | null;
  /** Id of the job that goes on with its live stream; null: none so far, or it was deleted. Left out of other jobs */
  next_part?: string | null;
  /** Timecode of the master at the first frame of the source, `HH:MM:SS:FF` or `HH:MM:SS;FF` in drop-frame: exports for editing count from it; left out: the timecode of the file */
  start_timecode?: string;
  /** Frames a second that `start_timecode` counts: 23.976, 24, 25, 29.97, 30, 47.952, 48, 50, 59.94, 60; left out: the frame rate of the source */
  timecode_rate?: number;
  /** Reel or tape name of the master, at most 64 characters; left out: made of the file's name */
  reel?: string;
  /** Address of the master, as a URI or a UMID, which exports for editing name instead of the source */
  master?: string;
  /** Receiver of its events; null for none */
  webhook: JobWebhook | null;
  /** Included when one ended job is read, and in results.json; it covers cached results too */
  provenance?: JobProvenance;
};

export type JobEventData = {
  /** The job */
  job: Job;
};

export type JobModule = {
  /** State of the module within the job */
  state: JobState;
  /** From 0 to 1 */
  progress: number;
} & Record<string, unknown>;

export type JobOnCompletedEvent = {
  /** Name of the event */
  event: "job.on_completed";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: JobEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type JobOnDetailedResultEvent = {
  /** Name of the event */
  event: "job.on_detailed_result";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: JobOnDetailedResultEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type JobOnDetailedResultEventData = {
  /** The job */
  job: Job;
  /** The new segment */
  detailed_result: DetailedResult;
};

export type JobOnFailedEvent = {
  /** Name of the event */
  event: "job.on_failed";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: JobEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type JobOnProgressEvent = {
  /** Name of the event */
  event: "job.on_progress";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: JobEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type JobOnSegmentEndEvent = {
  /** Name of the event */
  event: "job.on_segment_end";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: JobOnSegmentEndEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type JobOnSegmentEndEventData = {
  /** The job */
  job: Job;
  /** The segment, as in `on_detailed_result` */
  segment: JobOnSegmentEndEventDataSegment;
};

export type JobOnSegmentEndEventDataSegment = {
  /** Kind of the source; pages of a document are images */
  media_type: JobOnSegmentEndEventDataSegmentMediaType;
  /** First frame that shows it, from 0; of images their index in the job, of documents the page, null of sound */
  frame_start: number | null;
  /** Last frame that shows it, inclusive and counted as in `frame_start` */
  frame_end: number | null;
  /** Seconds from the start of the source; 0 of images */
  time_start: number;
  /** Seconds from the start of the source; 0 of images */
  time_end: number;
  /** SMPTE timecode of the start, `HH:MM:SS:FF`, or `HH:MM:SS;FF` in drop-frame */
  tc_start: string;
  /** SMPTE timecode of the end, in the same form */
  tc_end: string;
  /** Wall clock of the start; of live streams alone */
  time_of_day?: string;
  /** The source, as posted */
  source: string;
  /** Name of the file: as it was uploaded, or the last part of its path or address */
  source_name: string;
  /** Module that found it, as results call it */
  module: string;
  /** Result in the fields of the module */
  meta: Record<string, unknown>;
  /** Places by frame, at most 1000 */
  detections: Detection[];
  /** Picture of it; null where there is none */
  thumbnail: Thumbnail | null;
  /** Names the segment: the same in `on_segment_start` and `on_segment_end` */
  id: string;
  /** It came to nothing, or became part of another one: no result has it; left out otherwise */
  dropped?: true;
};

export type JobOnSegmentEndEventDataSegmentMediaType = "video" | "image" | "audio" | "videostream";

export type JobOnSegmentStartEvent = {
  /** Name of the event */
  event: "job.on_segment_start";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: JobOnSegmentStartEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type JobOnSegmentStartEventData = {
  /** The job */
  job: Job;
  /** The segment as it is so far, without detections */
  segment: JobOnSegmentStartEventDataSegment;
};

export type JobOnSegmentStartEventDataSegment = {
  /** Kind of the source; pages of a document are images */
  media_type: JobOnSegmentStartEventDataSegmentMediaType;
  /** First frame that shows it, from 0; of images their index in the job, of documents the page, null of sound */
  frame_start: number | null;
  /** Last frame that shows it, inclusive and counted as in `frame_start` */
  frame_end: number | null;
  /** Seconds from the start of the source; 0 of images */
  time_start: number;
  /** Seconds from the start of the source; 0 of images */
  time_end: number;
  /** SMPTE timecode of the start, `HH:MM:SS:FF`, or `HH:MM:SS;FF` in drop-frame */
  tc_start: string;
  /** SMPTE timecode of the end, in the same form */
  tc_end: string;
  /** Wall clock of the start; of live streams alone */
  time_of_day?: string;
  /** The source, as posted */
  source: string;
  /** Name of the file: as it was uploaded, or the last part of its path or address */
  source_name: string;
  /** Module that found it, as results call it */
  module: string;
  /** Result in the fields of the module */
  meta: Record<string, unknown>;
  /** Places by frame, at most 1000 */
  detections: Detection[];
  /** Picture of it; null where there is none */
  thumbnail: Thumbnail | null;
  /** Names the segment: the same in `on_segment_start` and `on_segment_end` */
  id: string;
};

export type JobOnSegmentStartEventDataSegmentMediaType = "video" | "image" | "audio" | "videostream";

export type JobOnStartedEvent = {
  /** Name of the event */
  event: "job.on_started";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: JobEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type JobOnStoppedEvent = {
  /** Name of the event */
  event: "job.on_stopped";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: JobEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type JobPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: Job[];
};

export type JobProvenance = {
  /** By module, as posted: the galleries, landmark models and networks that it was given */
  modules: Record<string, JobProvenanceModulesValue>;
  /** Analyses of the media */
  analyses: JobProvenanceAnalysesItem[];
};

export type JobProvenanceAnalysesItem = {
  /** Name of the analysis */
  analysis: string;
  /** Equal for two jobs exactly when they must see the same in the same media */
  digest: string;
  /** Version of the decoder that made its pictures or sound */
  decoder_version: number;
  /** The networks that looked, in their exact versions */
  models: ModelPin[];
  /** Modules that use it */
  modules: string[];
  /** Who looked, each once: several after an upgrade, or where some of it was known. Null where earlier engines did not say */
  made_by: JobProvenanceAnalysesItemMadeByItem[];
};

export type JobProvenanceAnalysesItemMadeByItem = {
  /** Release of the engine; null where earlier engines did not say */
  engine_version: string | null;
  /** Execution providers of its models: `cpu`, `cuda`, `webgpu`; two if some models could not run on the first */
  providers: string[] | null;
};

export type JobProvenanceModulesValue = {
  /** The models that the module was given, in their exact versions */
  models: ModelPin[];
};

export type JobRequest = {
  /** Addresses of the media, 1 to 10000: storage://, https://, s3://bucket/key with the storage credentials of the workspace, links to film platforms, and local paths where they are allowed; pictures or films, not both. Or one live stream: rtsp://, rtsps://, rtmp://, rtmps://, srt://, or https:// with a path that ends in .m3u8 (HLS) or .mpd (DASH) */
  sources: string[];
  /** `videostream` for MPEG-TS over HTTP: reads an http(s):// address as a live stream, which by its address alone would be a film. Other kinds, as replies carry them, change nothing: they are found out */
  media_type?: MediaType;
  /** What is asked of the sources: arguments by the id of a module, at most 64; `{}` takes all defaults */
  modules: RequestedModules;
  /** Text of your own, such as your id of the media; at most 255 characters, default empty */
  tag?: string;
  /** Seconds after its end at which the job is deleted; left out or null: what the service has for all (ADIT_JOB_TTL_SECONDS), else never */
  ttl?: number | null;
  /** Receiver of this job's events; default: none */
  webhook?: JobWebhook;
  /** true: the last minutes of the live stream are kept as they run (ADIT_RECORDING_MINUTES), see GET /v1/jobs/{id}/recording/; refused for other sources. Default false */
  record?: boolean;
  /** Seconds of a live stream after which the job completes and the next one goes on with the stream, 10 to 604800, see `next_part`; 0: never. Left out or null: what the service has for all (ADIT_STREAM_ROTATE_SECONDS), never where a module has a range; refused for other sources */
  rotate_seconds?: number | null;
  /** Timecode of the master at the first frame of the source, `HH:MM:SS:FF` or `HH:MM:SS;FF` in drop-frame: exports for editing count from it; left out: the timecode of the file */
  start_timecode?: string;
  /** Frames a second that `start_timecode` counts: 23.976, 24, 25, 29.97, 30, 47.952, 48, 50, 59.94, 60; left out: the frame rate of the source */
  timecode_rate?: number;
  /** Reel or tape name of the master, at most 64 characters; left out: made of the file's name */
  reel?: string;
  /** Address of the master, as a URI or a UMID, which exports for editing name instead of the source */
  master?: string;
  /** Number of the programme to mine alone, of MPEG transport streams (TS) with several: its pictures and sound are read as if the files had no others. A source without it, and one of another container, is an error; refused for live streams. Default: the largest pictures, and the sound of their programme */
  program?: number;
  /** 0 to 9, higher goes first; default 5 */
  priority?: number;
  /** Id of the batch it belongs to; null: none */
  batch?: string | null;
};

export type JobResult = {
  /** Address of the detailed results */
  detailed_link: string;
  /** Results by source; empty until there are any */
  summary: ResultSummary[];
};

export type JobState = "waiting" | "processing" | "completed" | "stopped" | "failed";

export type JobWebhook = {
  /** Names of events: `job.<event>` of the job, `job.<module>.<event>` of one of its modules */
  events: string[];
  /** http(s) address that they are posted to */
  callback: string;
};

export type LandmarkRecognitionArguments = {
  /** Name, id or digest of a landmark model. Left out: general-b, else the one default that is installed. */
  model?: string;
  /** Dictionaries that results are compared with, at most 64; a module that has no use for them ignores them */
  dictionaries?: DictionarySpecification[];
  /** Ranges of each source to analyse, in seconds or in frames; default: all of it */
  range?: ProcessingRange;
  /** How like one of its photos a picture must be for the landmark to count. Left out: what the training of the model found, else 0.75. */
  min_similarity?: number;
};

export type LeftOutImage = {
  /** Class that the image is of */
  class_id: string;
  /** Id of the image */
  image_id: string;
  /** Why it was left out */
  reason: LeftOutReason;
};

export type LeftOutReason = "outlier" | "duplicate" | "no_face" | "several_faces" | "too_small" | "too_blurred" | "unreadable" | "another_person" | "another_place";

export type LiveStream = {
  /** Id of the job that mines it */
  job_id: string;
  /** Its address, without what is secret in it */
  source: string;
  /** Name of the file: as it was uploaded, or the last part of its path or address */
  source_name: string;
  /** `tag` of the job */
  tag: string;
  /** State of the job */
  state: JobState;
  /** `reading` while a recorder has it, also while that tries to connect; `waiting` for a recorder; then `ended` */
  reading: StreamReading;
  /** When the job was posted, or went on with the stream as its next part */
  time_created: string;
  /** Wall clock of stream time 0; null before the first picture */
  time_zero: string | null;
  /** Seconds of stream time that were handed to the analysis */
  position: number;
  /** Seconds that `position` lies behind the wall clock: a few, and more while nothing arrives; null before the first picture and after the end */
  lag: number | null;
  /** Decoded parts, of about a second each, that are still being analysed */
  waiting_parts: number;
  /** Pictures that were handed to the analysis */
  frames: number;
  /** Pictures of a second of stream time, on average and without its gaps; null before the first */
  frame_rate: number | null;
  /** Number of its gaps; the newest 10,000 are kept */
  gap_count: number;
  /** Seconds of all of them */
  gap_seconds: number;
  /** The newest gap; null without one */
  last_gap: StreamGap | null;
  /** Whether it is recorded */
  recorded: boolean;
  /** Number of its detailed results so far */
  segment_count: number;
  /** Id of the job that had the stream before; null for none */
  previous_part: string | null;
  /** Id of the job that goes on with the stream; null for none */
  next_part: string | null;
};

export type LiveStreamPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: LiveStream[];
};

export type LoadedModel = {
  /** Name of the model */
  model: string;
  /** Its versions in memory */
  versions: number;
  /** Bytes of their weights in memory */
  bytes: number;
  /** Execution provider, such as `cpu` or `cuda`; null where not known */
  provider: string | null;
};

export type LowerThirdRecognitionArguments = {
  /** Name, id or digest of a model that reads lines of text, or finds them. One that reads is given the lines that the model of its name with -finder behind it finds, where that is installed. */
  model?: string;
  /** Dictionaries that results are compared with, at most 64; a module that has no use for them ignores them */
  dictionaries?: DictionarySpecification[];
  /** Ranges of each source to analyse, in seconds or in frames; default: all of it */
  range?: ProcessingRange;
  /** A single name, such as Ada, counts as well. */
  detect_single_name?: boolean;
  /** Find names by the generic name dictionary. Off, and without dictionaries: every line that looks like one. */
  apply_generic?: boolean;
  /** Ids of dictionaries of names; they come before the generic one. */
  name_dictionary_list?: string[] | null;
  /** Pixels of the shorter side from which a face counts. */
  min_face_size?: number;
  /** Sharpness from which a face counts. */
  sharpness_threshold?: number;
  /** A lower third counts only while a face that counts is to be seen. */
  only_faces?: boolean;
  /** Id of a dataset of faces: the face that is shown alone with a name becomes an image of the class of that name, inactive until somebody agrees. */
  dataset?: string | null;
  /** Ids of dictionaries asked about lines in which no name was found. */
  secondary_dictionaries?: string[] | null;
};

export type Me = {
  /** The rights of the key or the member */
  role: ApiKeyRole;
  /** The API key of this request; null where a member is signed in */
  key: OwnKey | null;
  /** Who is signed in; null where an API key asks */
  member: OwnMember | null;
  /** The workspace that the key belongs to, or that the member looks at */
  workspace: OwnWorkspace;
  /** All workspaces that they may look at; of a key its own */
  workspaces: OwnWorkspace[];
};

export type MediaFacts = VideoFacts | ImageFacts | AudioFacts | PdfFacts;

export type MediaInfo = {
  /** Frames a second */
  fps?: number;
  /** Width and height in pixels */
  resolution?: [number, number];
  /** Frames of the film */
  total_frames?: number;
  /** Seconds, gaps between pictures included */
  duration?: number;
  /** Where its clock goes on without pictures, as in a broken recording, for longer than a segment bridges; of more than 50 the longest. Left out where there are none */
  gaps?: MediaInfoGapsItem[];
  /** Their total number */
  gap_count?: number;
  /** Seconds of all of them together: no sum of screen time counts them */
  gap_seconds?: number;
  /** Sound tracks of a film with several: values for `audio_track` of `speech_recognition` */
  audio_tracks?: MediaInfoAudioTracksItem[];
};

export type MediaInfoAudioTracksItem = {
  /** Number of the track, from 0 */
  track: number;
  /** Language stated by the file; null if not stated */
  language: string | null;
  /** Channels of sound */
  channels: number;
};

export type MediaInfoGapsItem = {
  /** Seconds from the start of the source */
  time_start: number;
  /** Seconds from the start of the source */
  time_end: number;
};

export type MediaLink = {
  /** Name of the file: as it was uploaded, or the last part of its path */
  filename: string;
  /** Its media type as far as it is known */
  content_type: string | null;
  /** Bytes of the file */
  size: number;
  /** What `GET /v1/media/` takes; to be treated like a key until it expires */
  link: string;
  /** Address of the file with the link in it, for a player or a picture */
  url: string;
  /** When the link ends, ten minutes after it was made */
  time_expires: string;
};

export type MediaType = "image" | "video" | "audio" | "videostream" | "pdf" | "xml";

export type Member = {
  /** Id of the member */
  id: string;
  /** Name, as the provider of the sign-in says it */
  name: string;
  /** Address of e-mail, as the provider says it; null when it says none */
  email: string | null;
  /** Rights of the member */
  role: MemberRole;
  /** `claim`: the provider says at each sign-in whether and as what; `invitation`: admins do */
  source: MemberSource;
  /** When they became a member */
  time_created: string;
  /** When they signed in last */
  time_last_seen: string;
};

export type MemberChange = {
  /** Rights of the member */
  role: MemberRole;
};

export type MemberPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: Member[];
};

export type MemberRole = "admin" | "member" | "reader";

export type MemberSource = "invitation" | "claim";

export type Message = {
  /** Text for people about what was done */
  message: string;
};

export type MissingModel = {
  /** Name of the model */
  name: string;
  /** Its benefit */
  purpose: string;
};

export type Model = {
  /** Id of the model, the same in every installation unless it is of one workspace alone */
  id: string;
  /** Name in jobs */
  name: string;
  /** Description by the workspace, else by the model itself */
  description: string;
  /** Installed versions, by number */
  versions: ModelVersion[];
  /** The version with the highest number */
  latest_version: ModelVersion;
  /** Its subject: faces of people, landmarks, things and scenes, or text */
  type: ModelKind;
  /** Modules that take it in `model` */
  modules: string[];
  /** It comes with Adit, and cannot be changed or deleted */
  is_public: boolean;
  /** When it was first seen here */
  time_created: string;
  /** When a version was added or its description changed last */
  time_updated: string;
  /** Objects of your own, kept as they are */
  custom_fields: (Record<string, unknown>)[];
  /** Version used without a number: the promoted one, else the highest */
  default_version: number;
  /** Who sees it: this workspace alone, or all of the installation */
  scope: ModelScope;
  /** Its task, such as `face-gallery` */
  task: string;
  /** Kind of a network that jobs can name; null for others */
  family: string | null;
  /** Its licence, as it states it */
  licence: string;
  /** Its stated origin */
  origin: string;
  /** Conversion of pictures to its input */
  input: ImageInput | null;
  /** Labels of the default version */
  labels: string[] | null;
};

export type ModelForm = {
  /** Name for jobs; an existing name gets a new version */
  name: string;
  /** installation: for all workspaces; needs a key with the role owner */
  scope?: ModelScope;
  /** Names of its classes, one a line */
  labels?: string;
  /** Its kind, if the graph's shape does not show it */
  family?: string;
  /** Decoding of its outputs */
  decoding?: string;
  /** Pixels it was trained at, such as 640x640 */
  size?: string;
  /** rgb or bgr */
  colour?: string;
  /** Mean subtracted from values of 0..255: one number or three with commas between */
  mean?: string;
  /** Divisor of the difference: one number or three with commas between */
  std?: string;
  /** letterbox or stretch */
  resize?: string;
  /** Resize filter: nearest, bilinear, antialiased or bicubic */
  filter?: string;
  /** Brightness of the bars of letterbox, 0 to 255 */
  pad?: string;
  /** Pixels of the picture's shorter side before its middle is cut out */
  shorter_side?: string;
  /** Factor of the cosine, for models of images and text */
  logit_scale?: string;
  /** Summand of the logit, for models of images and text */
  logit_bias?: string;
  /** Maximum distance of two embeddings (length 1) of one person, for models of faces */
  max_distance?: string;
  /** Maximum number of tokens in a text */
  text_length?: string;
  /** Number of the start token of a text decoder */
  start_token?: string;
  /** Number of the end token of a text decoder */
  end_token?: string;
  /** Sentence around a label, at {}, for models with texts */
  template?: string;
  /** Its purpose */
  description?: string;
  /** Its licence */
  licence?: string;
  /** Its origin */
  origin?: string;
  /** Changes in this version */
  changelog?: string;
  /** An ONNX file, or a zip or tar archive with one and what belongs to it */
  file: Blob;
  /** Files beside the graph that hold its weights, each under the name that the graph calls it */
  data?: Blob[];
};

export type ModelKind = "face" | "landmark" | "object" | "text";

export type ModelPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: Model[];
};

export type ModelPin = {
  /** Name of the model */
  name: string;
  /** Number of its version */
  version: number;
  /** SHA-256 of its files and of what decides how they are used */
  digest: string;
  /** Only where it is asked to calculate in float16, as far as its graph can; left out for float32 */
  precision?: "float16";
};

export type ModelRequest = {
  /** Left out: what the model says of itself */
  description?: string;
  /** Objects of your own, at most 32 KiB; default: none */
  custom_fields?: (Record<string, unknown>)[];
};

export type ModelScope = "workspace" | "installation";

export type ModelVersion = {
  /** Number of the version, from 1 */
  version_number: number;
  /** When it was first seen here */
  time_created: string;
  /** Changes; may be empty */
  changelog: string;
  /** The dataset it was trained with, as it was when the training was posted; null when it was installed as files, or the training was deleted */
  source_dataset: Dataset | null;
  /** SHA-256 of its files and of what decides how they are used: jobs keep it */
  digest: string;
  /** Measurements from its training or import */
  metrics: Record<string, number> | null;
};

export type Module = {
  /** Name in jobs */
  id: string;
  /** Other names that jobs may call it */
  aliases: string[];
  /** Name in results */
  result_module: string;
  /** Kinds of source that it can be asked of */
  media: string[];
  /** JSON Schema of what a job may ask of it */
  arguments: Record<string, unknown>;
  /** Models that its `model` may name, in the versions that are used */
  models: InstalledModel[];
  /** Models that it would use if they were there */
  models_not_installed: MissingModel[];
};

export type ObjectSceneRecognitionArguments = {
  /** Name, id or digest of a model. Left out: general-c. */
  model?: string;
  /** Dictionaries that results are compared with, at most 64; a module that has no use for them ignores them */
  dictionaries?: DictionarySpecification[];
  /** Ranges of each source to analyse, in seconds or in frames; default: all of it */
  range?: ProcessingRange;
  /** Percent from which an object counts: at 70 about seven of ten are right. */
  min_confidence?: number;
  /** Language of the labels: 0 English, 1 German. Default: 0 */
  language?: ObjectSceneRecognitionArgumentsLanguage;
  /** What to look for, in words; models of images and text only, such as zero-shot. */
  words?: string[];
  /** Look for the labels of the model as well; false with models of images and text only. */
  include_preset_labels?: boolean;
  /** Describe each scene in a sentence, as a result of the type caption; needs a captioning model. */
  enable_captioning?: boolean;
};

export type ObjectSceneRecognitionArgumentsLanguage = 0 | 1;

export type OpenTasks = {
  /** Kind of the tasks */
  task: string;
  /** Tasks that somebody could begin now */
  waiting: number;
  /** Tasks that are worked on */
  running: number;
};

export type OwnKey = {
  /** Id of the API key */
  id: string;
  /** Name that its owner gave it */
  name: string;
};

export type OwnMember = {
  /** Id of the member */
  id: string;
  /** Name of the member */
  name: string;
};

export type OwnWorkspace = {
  /** Id of the workspace */
  id: string;
  /** Name of the workspace */
  name: string;
};

export type ParagraphChange = {
  /** Spoken text, at most 10000 characters and 2000 words; default: unchanged */
  text?: string;
  /** Who said it; null: nobody knows; left out: as it is */
  speaker?: string | null;
  /** Seconds from the start of the source, at most a week; left out: as it is */
  time_start?: number;
  /** Seconds from the start of the source, at most a week; left out: as it is */
  time_end?: number;
};

export type ParagraphDifference = {
  /** Id of the paragraph */
  id: string;
  /** Whether it is only in the version of the path, only in that of `from`, or different in both */
  kind: ParagraphDifferenceKind;
  /** Paragraph in the version of `from`; null if missing */
  before: ParagraphDifferenceBefore | null;
  /** Paragraph in the version of the path; null if missing */
  after: ParagraphDifferenceAfter | null;
  /** The words of both, in order */
  words: ParagraphDifferenceWordsItem[];
};

export type ParagraphDifferenceAfter = {
  /** The same in all versions */
  id: string;
  /** The version that it was changed in last, for If-Match */
  revision: number;
  /** Spoken text */
  text: string;
  /** Who said it; null where nobody knows */
  speaker: string | null;
  /** Seconds from the start of the source */
  time_start: number;
  /** Seconds from the start of the source */
  time_end: number;
};

export type ParagraphDifferenceBefore = {
  /** The same in all versions */
  id: string;
  /** The version that it was changed in last, for If-Match */
  revision: number;
  /** Spoken text */
  text: string;
  /** Who said it; null where nobody knows */
  speaker: string | null;
  /** Seconds from the start of the source */
  time_start: number;
  /** Seconds from the start of the source */
  time_end: number;
};

export type ParagraphDifferenceKind = "added" | "removed" | "changed";

export type ParagraphDifferencePage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: ParagraphDifference[];
};

export type ParagraphDifferenceWordsItem = {
  /** Whether both versions have the word, only that of `from`, or only that of the path */
  kind: ParagraphDifferenceWordsItemKind;
  /** The word */
  text: string;
};

export type ParagraphDifferenceWordsItemKind = "same" | "removed" | "added";

export type ParagraphEdit = {
  /** Id of the paragraph */
  id: string;
  /** Spoken text, at most 10000 characters and 2000 words; default: unchanged */
  text?: string;
  /** Who said it; null: nobody knows; left out: as it is */
  speaker?: string | null;
  /** Seconds from the start of the source, at most a week; left out: as it is */
  time_start?: number;
  /** Seconds from the start of the source, at most a week; left out: as it is */
  time_end?: number;
};

export type ParagraphInsertion = {
  /** Id of the paragraph that it follows; null: it is the first */
  after: string | null;
  /** Spoken text, at most 10000 characters and 2000 words */
  text: string;
  /** Who said it; null, the default: nobody knows */
  speaker?: string | null;
  /** Seconds from the start of the source, at most a week */
  time_start: number;
  /** Seconds from the start of the source, at most a week */
  time_end: number;
};

export type ParagraphRemoval = {
  /** Id of the paragraph */
  id: string;
  /** Always true: the paragraph is taken out */
  remove: true;
};

export type ParagraphRequest = {
  /** Spoken text, at most 10000 characters and 2000 words */
  text: string;
  /** Who said it; null, the default: nobody knows */
  speaker?: string | null;
  /** Seconds from the start of the source, at most a week; left out: as it is */
  time_start?: number;
  /** Seconds from the start of the source, at most a week; left out: as it is */
  time_end?: number;
};

export type PdfFacts = {
  /** Always `pdf` */
  kind: "pdf";
  /** Pages of the document */
  pages: number;
  /** Pixels that pages are drawn with, from page `from` on; the first is of page 0 */
  sizes: PdfFactsSizesItem[];
};

export type PdfFactsSizesItem = {
  /** First page of that size, counted from 0 */
  from: number;
  /** In pixels */
  width: number;
  /** In pixels */
  height: number;
};

export type PhotoSearchForm = {
  /** The question, at most 1000 characters: anything, or `field:` before it */
  q?: string;
  /** People: names of galleries and identities, speakers, captions that name somebody */
  who?: string;
  /** Things, scenes, and what pictures show */
  what?: string;
  /** Speech; the newest versions of transcripts where there are any */
  said?: string;
  /** Captions */
  written?: string;
  /** Landmarks, their kind and what they lie in */
  where?: string;
  /** Id of a module, or the name its results carry */
  module?: string;
  /** Of this job alone */
  job_id?: string;
  /** Of jobs of this batch alone */
  batch_id?: string;
  /** Of jobs with exactly this tag */
  tag?: string;
  /** Said in this language, as a code such as `de` */
  language?: string;
  /** A time or day, or two with a slash between, one of which may be missing: the wall clock of live streams, and when the jobs of other sources were made */
  when?: string;
  /** Landmarks within `south,west,north,east` in degrees; `west` is more than `east` over the date line */
  box?: string;
  /** Seconds, 0 to 3600: what is joined by the outermost AND may be in several results of one source, at most so far apart */
  together?: number;
  /** Whether parts of words and misspelt words count, last; default true */
  fuzzy?: boolean;
  /** Pixels of the picture's shorter side when it reaches the detector; more finds smaller faces. */
  face_detection_scale?: number;
  /** Two faces nearer than this are one person; 0..2. */
  max_distance?: number;
  /** The photo itself, or its address */
  photo?: Blob | string;
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
  /** Nod in degrees; null for a face too small or blurred to know */
  pitch: number | null;
  /** Tilt in degrees; null for a face too small or blurred to know */
  roll: number | null;
  /** Years; null for a face too small or blurred to know */
  age: number | null;
  /** What the face reads as; null for a face too small or blurred to know */
  gender: PictureFaceGender | null;
};

export type PictureFaceGender = "female" | "male";

export type PlannedAnalysis = {
  /** Name of the analysis */
  analysis: string;
  /** Equal for two jobs exactly when they must see the same in the same media */
  digest: string;
  /** The networks that would look, in their exact versions */
  models: ModelPin[];
};

export type PlannedModule = {
  /** Id of the module */
  module: string;
  /** Its arguments, with defaults filled in */
  arguments: Record<string, unknown>;
  /** The models that it is given, in their exact versions */
  models: ModelPin[];
  /** The analyses that would run */
  analyses: PlannedAnalysis[];
};

export type Prediction = {
  /** Name in results */
  module: string;
  /** In pixels, as displayed */
  width: number;
  /** In pixels, as displayed */
  height: number;
  /** Results */
  results: PredictionResultsItem[];
  /** Exact versions of the models used */
  models: ModelPin[];
};

export type PredictionForm = {
  /** Version of the model; default: the one used without a number. */
  version?: number;
  /** One of the modules that take the model; default: the one that it was made for. */
  module?: string;
  /** Arguments of the module, as in a job; neither `model` nor dictionaries. */
  arguments?: Record<string, unknown>;
  /** Address of a picture: an uploaded file (storage://…), or an address on the web (https://…) */
  file_uri?: string;
  /** The picture itself, in place of `file_uri` */
  file?: Blob;
};

export type PredictionResultsItem = {
  /** Kind of what was found, such as `face` or `object` */
  type: string;
  /** Label of the result */
  label: string;
  /** Or similarity, 0..1 */
  confidence: number;
  /** Fields of the module's detailed results */
  meta: Record<string, unknown>;
  /** Places in the picture */
  detections: Detection[];
};

export type ProbedSource = {
  /** The source, as posted */
  source: string;
  /** Facts about the file; null for a source that only decoders open, and after an error */
  facts: MediaFacts | null;
  /** Why it cannot be used; null otherwise */
  error: string | null;
};

export type Problem = {
  /** A URI that identifies the kind of problem */
  type: string;
  /** The kind of problem, for a person */
  title: string;
  /** The HTTP status */
  status: number;
  /** Description of the fault and its remedy for people */
  detail: string;
  /** The path that was asked */
  instance: string;
  /** The kind of problem, for programs */
  code: string;
  /** The same as `detail` */
  message: string;
  /** X-Request-Id of the request, to be found in the logs */
  request_id: string;
  /** Each place of the request that is wrong; empty where it is none in particular */
  errors: ProblemError[];
};

export type ProblemError = {
  /** JSON Pointer into the body, or `?name` for a query parameter */
  pointer: string;
  /** Kind of fault, in one word for programs */
  code: string;
  /** Description of the fault for people */
  message: string;
  /** The resource that is in the way */
  existing?: Record<string, unknown>;
  /** The quota that is used up */
  quota?: QuotaUse;
};

export type ProcessingRange = TimeRange | FrameRange;

export type QueueLag = {
  /** Service that reads them */
  group: string;
  /** Topic of the messages */
  topic: string;
  /** Messages that were accepted and not yet handled */
  messages: number;
};

export type QuotaForecast = {
  /** Its name; `storage_bytes` is of everything that is stored */
  quota: QuotaForecastQuota;
  /** The most that may be used */
  limit: number;
  /** What is used by now */
  used: number;
  /** What is left; 0 also where more is used than the quota allows */
  left: number;
  /** When it starts anew; null for bytes, which end with what is deleted */
  time_reset: string | null;
  /** What the job would use at most of the length of media, and about of seconds of analyses and models, by what its modules took in the last 30 days; null where that is not known */
  expected: number | null;
};

export type QuotaForecastQuota = "storage_bytes" | "upload_bytes" | "transcript_bytes" | "recording_bytes" | "media_seconds_per_day" | "media_seconds_per_month" | "chunk_seconds_per_day" | "chunk_seconds_per_month" | "cpu_model_seconds_per_day" | "cpu_model_seconds_per_month" | "gpu_model_seconds_per_day" | "gpu_model_seconds_per_month";

export type QuotaUse = {
  /** Its name; `storage_bytes` is of everything that is stored */
  quota: QuotaUseQuota;
  /** The most that may be used */
  limit: number;
  /** What is used by now */
  used: number;
  /** What is left; 0 also where more is used than the quota allows */
  left: number;
  /** When it starts anew; null for bytes, which end with what is deleted */
  time_reset: string | null;
};

export type QuotaUseQuota = "storage_bytes" | "upload_bytes" | "transcript_bytes" | "recording_bytes" | "media_seconds_per_day" | "media_seconds_per_month" | "chunk_seconds_per_day" | "chunk_seconds_per_month" | "cpu_model_seconds_per_day" | "cpu_model_seconds_per_month" | "gpu_model_seconds_per_day" | "gpu_model_seconds_per_month";

export type Quotas = {
  /** Bytes that its uploaded files may have, uploads under way included; left out: no quota */
  upload_bytes?: number;
  /** Bytes that its transcripts may have, in all versions; left out: no quota */
  transcript_bytes?: number;
  /** Bytes that its recordings of live streams may have; left out: no quota */
  recording_bytes?: number;
  /** Seconds of media that it may have analysed on one day in UTC; left out: no quota */
  media_seconds_per_day?: number;
  /** Seconds of media that it may have analysed in one calendar month in UTC; left out: no quota */
  media_seconds_per_month?: number;
  /** Seconds that its analyses may take on one day in UTC, by the clock; left out: no quota */
  chunk_seconds_per_day?: number;
  /** Seconds that its analyses may take in one calendar month in UTC, by the clock; left out: no quota */
  chunk_seconds_per_month?: number;
  /** Seconds that models may run on CPUs for it on one day in UTC; left out: no quota */
  cpu_model_seconds_per_day?: number;
  /** Seconds that models may run on CPUs for it in one calendar month in UTC; left out: no quota */
  cpu_model_seconds_per_month?: number;
  /** Seconds that models may run on GPUs for it on one day in UTC; left out: no quota */
  gpu_model_seconds_per_day?: number;
  /** Seconds that models may run on GPUs for it in one calendar month in UTC; left out: no quota */
  gpu_model_seconds_per_month?: number;
};

export type QuotasChange = {
  /** Bytes that its uploaded files may have, uploads under way included; null: no quota */
  upload_bytes?: number | null;
  /** Bytes that its transcripts may have, in all versions; null: no quota */
  transcript_bytes?: number | null;
  /** Bytes that its recordings of live streams may have; null: no quota */
  recording_bytes?: number | null;
  /** Seconds of media that it may have analysed on one day in UTC; null: no quota */
  media_seconds_per_day?: number | null;
  /** Seconds of media that it may have analysed in one calendar month in UTC; null: no quota */
  media_seconds_per_month?: number | null;
  /** Seconds that its analyses may take on one day in UTC, by the clock; null: no quota */
  chunk_seconds_per_day?: number | null;
  /** Seconds that its analyses may take in one calendar month in UTC, by the clock; null: no quota */
  chunk_seconds_per_month?: number | null;
  /** Seconds that models may run on CPUs for it on one day in UTC; null: no quota */
  cpu_model_seconds_per_day?: number | null;
  /** Seconds that models may run on CPUs for it in one calendar month in UTC; null: no quota */
  cpu_model_seconds_per_month?: number | null;
  /** Seconds that models may run on GPUs for it on one day in UTC; null: no quota */
  gpu_model_seconds_per_day?: number | null;
  /** Seconds that models may run on GPUs for it in one calendar month in UTC; null: no quota */
  gpu_model_seconds_per_month?: number | null;
};

export type Rational = {
  /** Numerator */
  num: number;
  /** Denominator */
  den: number;
};

export type Recording = {
  /** `recording` while the stream is read or waited for; then `ended`, and the playlist says so */
  state: RecordingState;
  /** Address of the HLS playlist. It works without a header until `time_expires`, for players; so do the addresses in it */
  playlist: string;
  /** When the addresses end; ask again for new ones */
  time_expires: string;
  /** Minutes that are kept */
  minutes: number;
  /** Wall clock of the first picture that is kept; null for none so far */
  time_start: string | null;
  /** Wall clock behind the last picture; null for none so far */
  time_end: string | null;
  /** Seconds of all segments together */
  duration: number;
  /** Bytes of all segments together */
  size: number;
  /** Number of segments */
  segment_count: number;
};

export type RecordingState = "recording" | "ended";

export type Report = {
  /** Id of the report */
  id: string;
  /** `Diversity of` and the name of the batch */
  title: string;
  /** Always `diversity` */
  type: "diversity";
  /** `waiting` and `processing` until it is `completed` or `failed` */
  state: TaskState;
  /** Why it failed; null otherwise */
  error_msg: string | null;
  /** When it was asked for */
  time_created: string;
};

export type ReportContent = {
  /** Id of the batch that is summed up, with those below it */
  batch_id: string;
  /** The sums */
  report_info: DiversityInfo;
};

export type ReportItem = {
  /** The sums of one batch */
  content: ReportContent;
};

export type ReportItemPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: ReportItem[];
};

export type ReportPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: Report[];
};

export type RequestedModules = {
  /** Arguments of advanced_diversity_analysis, for image and video */
  advanced_diversity_analysis?: StandardArguments;
  /** Arguments of face_recognition, for image and video */
  face_recognition?: FaceRecognitionArguments;
  /** Arguments of gender_neutrality_estimation, for image and video */
  gender_neutrality_estimation?: StandardArguments;
  /** Arguments of landmark_recognition, for image and video */
  landmark_recognition?: LandmarkRecognitionArguments;
  /** Arguments of lower_third_recognition, for image and video */
  lower_third_recognition?: LowerThirdRecognitionArguments;
  /** Arguments of object_scene_recognition, for image and video. Jobs may call it object_recognition as well */
  object_scene_recognition?: ObjectSceneRecognitionArguments;
  /** Arguments of speech_recognition, for audio and video */
  speech_recognition?: SpeechRecognitionArguments;
} & Record<string, unknown>;

export type ResizeFilter = "nearest" | "bilinear" | "antialiased" | "bicubic";

export type ResourceEventName = "svc.transcript.on_created" | "svc.transcript.variant.version.on_created" | "svc.transcript.variant.version.paragraph.on_updated" | "svc.export.on_started" | "svc.export.on_completed" | "svc.export.artifact.on_created" | "svc.job.on_started" | "svc.job.on_completed" | "svc.job.on_failed" | "svc.job.on_stopped" | "svc.training.on_completed" | "svc.training.on_failed" | "svc.dataset.import.on_completed" | "svc.stream.on_gap" | "svc.search.on_match";

export type ResultSummary = {
  /** The source, as posted */
  source: string;
  /** Name of the file: as it was uploaded, or the last part of its path or address */
  source_name: string;
  /** Kind of the source */
  media_type: MediaType;
  /** Facts about a film; empty for other sources */
  info: MediaInfo;
  /** Results, each label once */
  items: ResultSummaryItem[];
};

export type ResultSummaryItem = {
  /** Kind of what was found, such as `face`, `object` or `lower_third` */
  type: string;
  /** Label of the result */
  label: string;
  /** Module that found it, as results call it */
  module: string;
};

export type Retention = {
  /** Seconds that cached observations and facts of media are kept, from their last use on; null: as the installation keeps them */
  observations: number | null;
  /** Seconds that an ended job is kept with its results, from its end on; a `ttl` of its own may end earlier; null: as the installation keeps them */
  results: number | null;
  /** Seconds that files of jobs and exports are kept, from their making on; null: as the installation keeps them */
  artifacts: number | null;
  /** Seconds that an uploaded file is kept, from its upload on; null: as the installation keeps them */
  uploads: number | null;
  /** Seconds that the recording of a live stream is kept, from the end of its job on; null: as the installation keeps them */
  recordings: number | null;
  /** Seconds that a line of the audit log is kept; never less than the installation keeps it; null: as the installation keeps them */
  audit_lines: number | null;
  /** Seconds that the receipt of an erasure is kept, from its completion on; null: as the installation keeps them */
  receipts: number | null;
  /** Seconds that embeddings of the faces that jobs find are kept for searches by a photo, from their finding on; null: as the installation keeps them */
  faces: number | null;
  /** Values of the installation, for kinds without a value of the workspace */
  defaults: RetentionDefaults;
  /** Kinds whose last change is not yet applied to everything that was there before it */
  pending: RetentionPendingItem[];
};

export type RetentionDefaults = {
  /** Seconds that cached observations and facts of media are kept, from their last use on; null: no limit, 0: none is kept */
  observations: number | null;
  /** Seconds that an ended job is kept with its results, from its end on; a `ttl` of its own may end earlier; null: no limit, 0: none is kept */
  results: number | null;
  /** Seconds that files of jobs and exports are kept, from their making on; null: no limit, 0: none is kept */
  artifacts: number | null;
  /** Seconds that an uploaded file is kept, from its upload on; null: no limit, 0: none is kept */
  uploads: number | null;
  /** Seconds that the recording of a live stream is kept, from the end of its job on; null: no limit, 0: none is kept */
  recordings: number | null;
  /** Seconds that a line of the audit log is kept; never less than the installation keeps it; null: no limit, 0: none is kept */
  audit_lines: number | null;
  /** Seconds that the receipt of an erasure is kept, from its completion on; null: no limit, 0: none is kept */
  receipts: number | null;
  /** Seconds that embeddings of the faces that jobs find are kept for searches by a photo, from their finding on; null: no limit, 0: none is kept */
  faces: number | null;
};

export type RetentionHold = {
  /** Tag of the jobs, as they were posted with */
  tag: string;
};

export type RetentionHolds = {
  /** Tags of jobs under a legal hold, sorted */
  tags: string[];
};

export type RetentionPendingItem = "observations" | "results" | "artifacts" | "uploads" | "recordings" | "audit_lines" | "receipts" | "faces";

export type RetentionRequest = {
  /** Seconds that cached observations and facts of media are kept, from their last use on; null, the default: as the installation */
  observations?: number | null;
  /** Seconds that an ended job is kept with its results, from its end on; a `ttl` of its own may end earlier; null, the default: as the installation */
  results?: number | null;
  /** Seconds that files of jobs and exports are kept, from their making on; null, the default: as the installation */
  artifacts?: number | null;
  /** Seconds that an uploaded file is kept, from its upload on; null, the default: as the installation */
  uploads?: number | null;
  /** Seconds that the recording of a live stream is kept, from the end of its job on; null, the default: as the installation */
  recordings?: number | null;
  /** Seconds that a line of the audit log is kept; never less than the installation keeps it; null, the default: as the installation */
  audit_lines?: number | null;
  /** Seconds that the receipt of an erasure is kept, from its completion on; null, the default: as the installation */
  receipts?: number | null;
  /** Seconds that embeddings of the faces that jobs find are kept for searches by a photo, from their finding on; null, the default: as the installation */
  faces?: number | null;
};

export type RetentionUpcoming = {
  /** End of the interval, from now on */
  until: string;
  /** Every kind, in a fixed order */
  kinds: RetentionUpcomingKindsItem[];
};

export type RetentionUpcomingKindsItem = {
  /** What goes */
  kind: RetentionUpcomingKindsItemKind;
  /** How many of the kind go in that time */
  count: number;
  /** There may be more than `count`: only the first 10,000 are looked at */
  is_partial: boolean;
  /** The first ten of them, the next one first */
  first: RetentionUpcomingKindsItemFirstItem[];
};

export type RetentionUpcomingKindsItemFirstItem = {
  /** Id of the job, file, artifact, entry or receipt; of observations the digest of the media, of embeddings of faces the job */
  id: string;
  /** Name of the file or tag of the job; null where there is none */
  name: string | null;
  /** When its retention ends; it is removed within minutes after that */
  time: string;
};

export type RetentionUpcomingKindsItemKind = "observations" | "results" | "artifacts" | "uploads" | "recordings" | "audit_lines" | "receipts" | "faces";

export type RunLatency = {
  /** Pictures that were run */
  rows: number;
  /** Mean, in seconds */
  mean_seconds: number;
  /** Median, in seconds */
  p50_seconds: number;
  /** 95th percentile, in seconds */
  p95_seconds: number;
};

export type RunningService = {
  /** Name of the service; `standalone` does the work of all */
  service: string;
  /** Its release */
  version: string;
  /** Processes that showed a sign of life within the last minute */
  processes: number;
};

export type SavedSearch = {
  /** Id of the saved search */
  id: string;
  /** Name, by which events call it */
  name: string;
  /** The question, at most 1000 characters: anything, or `field:` before it */
  q?: string;
  /** People: names of galleries and identities, speakers, captions that name somebody */
  who?: string;
  /** Things, scenes, and what pictures show */
  what?: string;
  /** Speech; the newest versions of transcripts where there are any */
  said?: string;
  /** Captions */
  written?: string;
  /** Landmarks, their kind and what they lie in */
  where?: string;
  /** Id of a module, or the name its results carry */
  module?: string;
  /** Of this job alone */
  job_id?: string;
  /** Of jobs of this batch alone */
  batch_id?: string;
  /** Of jobs with exactly this tag */
  tag?: string;
  /** Said in this language, as a code such as `de` */
  language?: string;
  /** A time or day, or two with a slash between, one of which may be missing: the wall clock of live streams, and when the jobs of other sources were made */
  when?: string;
  /** Landmarks within `south,west,north,east` in degrees; `west` is more than `east` over the date line */
  box?: string;
  /** Seconds, 0 to 3600: what is joined by the outermost AND may be in several results of one source, at most so far apart */
  together?: number;
  /** Whether parts of words and misspelt words count; default false, as most of them are none to be told of */
  fuzzy?: boolean;
  /** Whether new results raise `svc.search.on_match` */
  alert: boolean;
  /** Address of what it finds now, in this API */
  link: string;
  /** When it was saved */
  time_created: string;
  /** When it was changed last */
  time_updated: string;
};

export type SavedSearchPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: SavedSearch[];
};

export type SavedSearchRequest = {
  /** Name, by which events call it */
  name: string;
  /** The question, at most 1000 characters: anything, or `field:` before it */
  q?: string;
  /** People: names of galleries and identities, speakers, captions that name somebody */
  who?: string;
  /** Things, scenes, and what pictures show */
  what?: string;
  /** Speech; the newest versions of transcripts where there are any */
  said?: string;
  /** Captions */
  written?: string;
  /** Landmarks, their kind and what they lie in */
  where?: string;
  /** Id of a module, or the name its results carry */
  module?: string;
  /** Of this job alone */
  job_id?: string;
  /** Of jobs of this batch alone */
  batch_id?: string;
  /** Of jobs with exactly this tag */
  tag?: string;
  /** Said in this language, as a code such as `de` */
  language?: string;
  /** A time or day, or two with a slash between, one of which may be missing: the wall clock of live streams, and when the jobs of other sources were made */
  when?: string;
  /** Landmarks within `south,west,north,east` in degrees; `west` is more than `east` over the date line */
  box?: string;
  /** Seconds, 0 to 3600: what is joined by the outermost AND may be in several results of one source, at most so far apart */
  together?: number;
  /** Whether parts of words and misspelt words count; default false, as most of them are none to be told of */
  fuzzy?: boolean;
  /** Whether new results raise `svc.search.on_match`; default true */
  alert?: boolean;
};

export type SearchAlert = {
  /** The saved search */
  search: SearchAlertSearch;
  /** Job that found them */
  job_id: string;
  /** The new results, in the order of their numbers; more of them come in further events */
  matches: SearchAlertMatchesItem[];
};

export type SearchAlertMatchesItem = {
  /** Number of the segment in `detailed-results/` of the job, from 0 */
  number: number;
  /** Module that found it, as results call it */
  module: string;
  /** Kind of result, such as `face` */
  type: string;
  /** Index of the source in its job */
  source_index: number;
  /** Seconds from the start of the source; 0 of images */
  time_start: number;
  /** Seconds from the start of the source; 0 of images */
  time_end: number;
  /** Wall clock of the start; of live streams alone */
  time_of_day?: string;
  /** False: found by parts of words, or by words like those that were asked for */
  exact: boolean;
};

export type SearchAlertSearch = {
  /** Id of the saved search */
  id: string;
  /** Its name */
  name: string;
};

export type SearchFacets = {
  /** By module, as results call it */
  module: SearchFacetsModuleItem[];
  /** By kind of result */
  type: SearchFacetsTypeItem[];
  /** By language of what was said */
  language: SearchFacetsLanguageItem[];
  /** By tag of the job */
  tag: SearchFacetsTagItem[];
  /** By batch of the job */
  batch_id: SearchFacetsBatchIdItem[];
  /** By job */
  job_id: SearchFacetsJobIdItem[];
};

export type SearchFacetsBatchIdItem = {
  /** The value */
  value: string;
  /** Number of results with it */
  count: number;
};

export type SearchFacetsJobIdItem = {
  /** The value */
  value: string;
  /** Number of results with it */
  count: number;
};

export type SearchFacetsLanguageItem = {
  /** The value */
  value: string;
  /** Number of results with it */
  count: number;
};

export type SearchFacetsModuleItem = {
  /** The value */
  value: string;
  /** Number of results with it */
  count: number;
};

export type SearchFacetsTagItem = {
  /** The value */
  value: string;
  /** Number of results with it */
  count: number;
};

export type SearchFacetsTypeItem = {
  /** The value */
  value: string;
  /** Number of results with it */
  count: number;
};

export type SearchFieldName = "who" | "what" | "said" | "written" | "where";

export type SearchMatch = {
  /** What kind of text it is */
  field: SearchFieldName;
  /** The text, or at most 400 characters of it around the first word that was asked for */
  text: string;
  /** The words of `text` that were asked for, in order */
  words: SearchMatchWordsItem[];
};

export type SearchMatchWordsItem = {
  /** Place of the first character in `text`, from 0, in UTF-16 code units */
  start: number;
  /** Place behind the last character */
  end: number;
};

export type SearchMatches = {
  /** Job that found them */
  job_id: string;
  /** The new results, in the order of their numbers; more of them come in further events */
  matches: SearchMatchesMatchesItem[];
  /** When they were found */
  time_created: string;
};

export type SearchMatchesMatchesItem = {
  /** Number of the segment in `detailed-results/` of the job, from 0 */
  number: number;
  /** Module that found it, as results call it */
  module: string;
  /** Kind of result, such as `face` */
  type: string;
  /** Index of the source in its job */
  source_index: number;
  /** Seconds from the start of the source; 0 of images */
  time_start: number;
  /** Seconds from the start of the source; 0 of images */
  time_end: number;
  /** Wall clock of the start; of live streams alone */
  time_of_day?: string;
  /** False: found by parts of words, or by words like those that were asked for */
  exact: boolean;
};

export type SearchMatchesPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: SearchMatches[];
};

export type SearchPage = {
  /** Number of results, counted up to 10,000, or with `together` up to 1,000 */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: SearchResult[];
  /** False: there are more than `total` */
  total_is_exact: boolean;
  /** Whether parts of words and misspelt words were looked for: where asked, and where the database can */
  fuzzy: boolean;
  /** False: that took longer than 150 ms and was left off, so that some or all of these are missing, or a word is like more than 100 others, of which the most alike were looked for, or results are being indexed again. Exact results are complete */
  fuzzy_is_complete: boolean;
  /** Counted where they were asked for: of at most 10,000 results, with `together` 1,000 */
  facets: SearchFacets | null;
};

export type SearchRebuild = {
  /** Jobs that are indexed again; they can be found meanwhile */
  jobs: number;
};

export type SearchResult = {
  /** Job that found it */
  job_id: string;
  /** Number of the segment in `detailed-results/` of the job, from 0; null for a paragraph of a transcript */
  number: number | null;
  /** The paragraph that was found; null for a segment */
  transcript: FoundParagraph | null;
  /** Address of the segment, or of the paragraph, in this API */
  link: string;
  /** The source, as posted */
  source: string;
  /** Name of the file: as it was uploaded, or the last part of its path or address */
  source_name: string;
  /** Index of the source in its job */
  source_index: number;
  /** Kind of the source */
  media_type: SearchResultMediaType;
  /** Module that found it, as results call it */
  module: string;
  /** Kind of result, such as `face` */
  type: string;
  /** Language of what was said, as a code such as `de`; null where it has none */
  language: string | null;
  /** First frame that shows it, from 0; null of sound and of paragraphs */
  frame_start: number | null;
  /** Last frame that shows it, inclusive */
  frame_end: number | null;
  /** Seconds from the start of the source; 0 of images */
  time_start: number;
  /** Seconds from the start of the source; 0 of images */
  time_end: number;
  /** SMPTE timecode of the start, `HH:MM:SS:FF`, or `HH:MM:SS;FF` in drop-frame */
  tc_start: string;
  /** SMPTE timecode of the end, in the same form */
  tc_end: string;
  /** Wall clock of the start; of live streams alone */
  time_of_day?: string;
  /** False: found by parts of words, or by words like those that were asked for; these come last */
  exact: boolean;
  /** Why it was found: its texts, with the words that were asked for */
  matches: SearchMatch[];
  /** How like its face is to that of the photo; null where none was given, or it shows no such face */
  likeness: SearchResultLikeness | null;
  /** Picture of it; null where there is none */
  thumbnail: Thumbnail | null;
  /** Tag of the job */
  tag: string;
  /** Batch of the job; null outside of batches */
  batch_id: string | null;
  /** When the job was made */
  time_created: string;
};

export type SearchResultLikeness = {
  /** Similarity of its face and that of the photo, 0..1 */
  similarity: number;
  /** Euclidean distance of the embeddings of the two faces, 0..2 */
  distance: number;
};

export type SearchResultMediaType = "video" | "image" | "audio" | "videostream";

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
  /** Nod in degrees; null for a face too small or blurred to know */
  pitch: number | null;
  /** Tilt in degrees; null for a face too small or blurred to know */
  roll: number | null;
  /** Years; null for a face too small or blurred to know */
  age: number | null;
  /** What the face reads as; null for a face too small or blurred to know */
  gender: SearchedFaceGender | null;
  /** Who it is; `unknown` for nobody near enough, and for somebody without a label */
  person: string;
  /** Class of the dataset that the gallery was trained with; null for other galleries */
  class_id: string | null;
  /** Id of a person of an index collection; null for a person of a gallery */
  indexed_identity: IndexedIdentity | null;
  /** Similarity of the two faces, 0..1 */
  similarity: number;
  /** Euclidean distance of the embeddings of the two faces, 0..2 */
  distance: number;
  /** Only of somebody unknown */
  closest_person?: string | null;
  /** The nearest people, the nearest first */
  top_k: SearchedFaceTopKItem[];
};

export type SearchedFaceGender = "female" | "male";

export type SearchedFaceTopKItem = {
  /** Who it is; `unknown` for somebody without a label */
  person: string;
  /** Class of the dataset that the gallery was trained with; null for other galleries */
  class_id: string | null;
  /** Id of a person of an index collection; null for a person of a gallery */
  indexed_identity: IndexedIdentity | null;
  /** Similarity of the two faces, 0..1 */
  similarity: number;
  /** Euclidean distance of the embeddings of the two faces, 0..2 */
  distance: number;
};

export type Session = {
  /** Id of the session */
  id: string;
  /** Whose it is */
  member: SessionMember;
  /** Whether it is the one of this request */
  is_own: boolean;
  /** When somebody signed in */
  time_created: string;
  /** When it was used last, exact to a minute */
  time_last_used: string;
  /** When it ends at the latest; sooner without any use */
  time_expires: string;
};

export type SessionMember = {
  /** Id of the member */
  id: string;
  /** Name of the member */
  name: string;
};

export type SessionPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: Session[];
};

export type SidePart = "size" | "ones";

export type SigningSecret = {
  /** Signs what is sent to the callbacks of jobs */
  signing_secret: string;
};

export type SpeechRecognitionArguments = {
  /** Name or id of the model, or `name@version`; left out: the module's own choice */
  model?: string;
  /** Dictionaries that results are compared with, at most 64; a module that has no use for them ignores them */
  dictionaries?: DictionarySpecification[];
  /** Ranges of each source to analyse, in seconds or in frames; default: all of it */
  range?: ProcessingRange;
  /** The language that is spoken, by its code (ISO 639-1); `auto` listens which it is. */
  language?: SpeechRecognitionArgumentsLanguage;
  /** Which track of sound is heard: its number among them, from 0, its language as the file states it, or `all` of them mixed; `auto` is the default one of the file, and where that is silent the first that is not. `info` of a result lists them. Of a live stream `auto` is the default one, and `all` is refused. Default: "auto" */
  audio_track?: number | string;
  /** `quality` weighs five texts against each other (beam search) and tries again what it is not sure of; `performance` hardly ever. */
  mode?: SpeechRecognitionArgumentsMode;
  /** Paragraphs by sentences, pauses and speakers, and of a live stream each sentence; false: each stretch that was recognised on its own. */
  format_paragraph?: boolean;
  /** Leave out what is said where `vad_threshold` hears nobody. */
  enable_vad?: boolean;
  /** How likely somebody must speak, for `enable_vad` and `detect_silence`. */
  vad_threshold?: number;
  /** Results of type `silence` where nobody speaks. */
  detect_silence?: boolean;
  /** Pauses up to this long belong to the voice around them. */
  merge_voice_gap_seconds?: number;
  /** Names of people, places and organisations as `entities`, in English; null for other languages. */
  enable_ner?: boolean;
  /** Subtitles (SRT) of each source as an artifact: lines of at most 42 characters, two at a time, 1 to 7 s. */
  dump_srt?: boolean;
  /** For `dump_srt`: underline each word while it is said; without it nothing. */
  underline_words_in_srt?: boolean;
  /** The paragraphs of each source as a document for Word, an artifact. */
  dump_docx?: boolean;
  /** `words` in each result: when each of them is said. */
  word_level_timestamps?: boolean;
  /** `en`: results of type `translation`, in English, besides. */
  translation_language?: SpeechRecognitionArgumentsTranslationLanguage;
};

export type SpeechRecognitionArgumentsLanguage = "auto" | "en" | "zh" | "de" | "es" | "ru" | "ko" | "fr" | "ja" | "pt" | "tr" | "pl" | "ca" | "nl" | "ar" | "sv" | "it" | "id" | "hi" | "fi" | "vi" | "he" | "uk" | "el" | "ms" | "cs" | "ro" | "da" | "hu" | "ta" | "no" | "th" | "ur" | "hr" | "bg" | "lt" | "la" | "mi" | "ml" | "cy" | "sk" | "te" | "fa" | "lv" | "bn" | "sr" | "az" | "sl" | "kn" | "et" | "mk" | "br" | "eu" | "is" | "hy" | "ne" | "mn" | "bs" | "kk" | "sq" | "sw" | "gl" | "mr" | "pa" | "si" | "km" | "sn" | "yo" | "so" | "af" | "oc" | "ka" | "be" | "tg" | "sd" | "gu" | "am" | "yi" | "lo" | "uz" | "fo" | "ht" | "ps" | "tk" | "nn" | "mt" | "sa" | "lb" | "my" | "bo" | "tl" | "mg" | "as" | "tt" | "haw" | "ln" | "ha" | "ba" | "jw" | "su";

export type SpeechRecognitionArgumentsMode = "quality" | "performance";

export type SpeechRecognitionArgumentsTranslationLanguage = "none" | "en";

export type StandardArguments = {
  /** Name or id of the model, or `name@version`; left out: the module's own choice */
  model?: string;
  /** Dictionaries that results are compared with, at most 64; a module that has no use for them ignores them */
  dictionaries?: DictionarySpecification[];
  /** Ranges of each source to analyse, in seconds or in frames; default: all of it */
  range?: ProcessingRange;
};

export type StorageCredentials = {
  /** Id of the credentials */
  id: string;
  /** Bucket that they open, as in `s3://bucket/key` */
  bucket: string;
  /** Scheme, host and port of the store */
  endpoint: string;
  /** Region that requests are signed for */
  region: string;
  /** Access key, the public half of the credentials */
  access_key: string;
  /** true: the bucket is in the path, `https://host/bucket/key`; false: in the host name, `https://bucket.host/key` */
  path_style: boolean;
  /** When they were stored first */
  time_created: string;
};

export type StorageCredentialsPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: StorageCredentials[];
};

export type StorageCredentialsRequest = {
  /** Bucket that they open, as in `s3://bucket/key` */
  bucket: string;
  /** Scheme, host and port of the store, such as `https://s3.eu-central-1.amazonaws.com` */
  endpoint: string;
  /** Region that requests are signed for */
  region?: string;
  /** Access key, the public half of the credentials */
  access_key: string;
  /** Secret key; stored encrypted, and never shown */
  secret_key: string;
  /** true: the bucket is in the path, `https://host/bucket/key`; false: in the host name, `https://bucket.host/key` */
  path_style?: boolean;
};

export type StorageEntry = {
  /** Id of the entry */
  id: number;
  /** storage:// address that jobs take; null for folders */
  url: string | null;
  /** Bytes; null for folders */
  file_size: number | null;
  /** Name of the file; of a folder its full path */
  name: string;
  /** Whether all of it is stored; always true for folders */
  uploaded: boolean;
  /** Whether its upload broke off for good */
  upload_failed: boolean;
  /** Whether it is a picture, by its content */
  is_image: boolean;
  /** Whether it is a folder */
  is_folder: boolean;
};

export type StorageEntryPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: StorageEntry[];
};

export type StorageEntryV2 = {
  /** Id of the entry */
  id: number;
  /** storage:// address that jobs take; null for folders */
  url: string | null;
  /** Bytes; null for folders */
  file_size: number | null;
  /** Name of the file; of a folder its full path */
  name: string;
  /** Whether all of it is stored; always true for folders */
  uploaded: boolean;
  /** Whether its upload broke off for good */
  upload_failed: boolean;
  /** Kind by its content; null for other files */
  storage_type: StorageType | null;
  /** When all of it was stored, a folder when it was made; null before */
  uploaded_at: string | null;
};

export type StorageEntryV2Page = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: StorageEntryV2[];
};

export type StorageForm = {
  /** The file */
  file: Blob;
  /** Path of a folder, e.g. /news/2026 */
  folder?: string;
  /** Default: the name the file is sent with */
  name?: string;
  /** Action if the folder has a file of that name; default `refuse` */
  if_exists?: IfExists;
};

export type StorageFormV2 = {
  /** The file */
  file: Blob;
  /** Path of a folder, e.g. /news/2026 */
  folder?: string;
  /** Default: the name the file is sent with */
  name?: string;
  /** Action if the folder has a file of that name; default `refuse` */
  if_exists?: IfExists;
};

export type StorageType = "IMAGE" | "VIDEO" | "AUDIO" | "FOLDER";

export type StorageUse = {
  /** Bytes that files, transcripts and recordings may have together; null: no limit */
  limit: number | null;
  /** Bytes that they have, uploads under way included with their whole length */
  used: number;
  /** Bytes that are left, 0 after the limit was lowered below `used`; null: no limit */
  free: number | null;
  /** Bytes of `used` that uploaded files have */
  uploads: number;
  /** Bytes of `used` that transcripts have */
  transcripts: number;
  /** Bytes of `used` that recordings of live streams have */
  recordings: number;
};

export type StreamGap = {
  /** Number of the gap within its stream, from 1 */
  number: number;
  /** Seconds of stream time at which the last picture before it ended */
  time_start: number;
  /** Seconds of stream time at which pictures arrived again */
  time_end: number;
  /** Wall clock at `time_start`; null before the first picture */
  time_of_day_start: string | null;
  /** Wall clock at `time_end`; null before the first picture */
  time_of_day_end: string | null;
  /** Reason as text for people */
  reason: string;
};

export type StreamGapPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: StreamGap[];
};

export type StreamLoad = {
  /** Live streams that recorders read */
  reading: number;
  /** Live streams that wait for a recorder, or for others of their workspace to end */
  waiting: number;
  /** Seconds that one of `waiting` has waited, at most */
  longest_wait: number;
};

export type StreamPicture = {
  /** JPEG as base64 */
  image: string;
  /** Width in pixels */
  width: number;
  /** Height in pixels */
  height: number;
  /** Number of its frame: `frame_index` of the detections in it */
  frame: number;
  /** Seconds of stream time at which the result that it is of began */
  time: number;
  /** `offset` of GET /v1/jobs/{id}/detailed-results/ at which the results around it begin */
  results_offset: number;
};

export type StreamReading = "waiting" | "reading" | "ended";

export type SummarizedResult = {
  /** Id of the result */
  id: string;
  /** The source, as posted */
  source: string;
  /** Name of the file: as it was uploaded, or the last part of its path or address */
  source_name: string;
  /** Module that found it, as results call it */
  module: string;
  /** Kind of summary, such as `gender_count` or `person_screen_time` */
  type: string;
  /** Number by category: a count, or seconds */
  meta: Record<string, number>;
};

export type SummarizedResultPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: SummarizedResult[];
};

export type SvcDatasetImportOnCompletedEvent = {
  /** Name of the event */
  event: "svc.dataset.import.on_completed";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: SvcDatasetImportOnCompletedEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcDatasetImportOnCompletedEventData = {
  /** The import */
  import: DatasetImport;
};

export type SvcExportArtifactOnCreatedEvent = {
  /** Name of the event */
  event: "svc.export.artifact.on_created";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: SvcExportArtifactOnCreatedEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcExportArtifactOnCreatedEventData = {
  /** The file */
  artifact: Artifact;
};

export type SvcExportOnCompletedEvent = {
  /** Name of the event */
  event: "svc.export.on_completed";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: ExportEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcExportOnStartedEvent = {
  /** Name of the event */
  event: "svc.export.on_started";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: ExportEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcJobOnCompletedEvent = {
  /** Name of the event */
  event: "svc.job.on_completed";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: JobEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcJobOnFailedEvent = {
  /** Name of the event */
  event: "svc.job.on_failed";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: JobEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcJobOnStartedEvent = {
  /** Name of the event */
  event: "svc.job.on_started";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: JobEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcJobOnStoppedEvent = {
  /** Name of the event */
  event: "svc.job.on_stopped";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: JobEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcSearchOnMatchEvent = {
  /** Name of the event */
  event: "svc.search.on_match";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: SearchAlert;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcStreamOnGapEvent = {
  /** Name of the event */
  event: "svc.stream.on_gap";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: SvcStreamOnGapEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcStreamOnGapEventData = {
  /** The gap, when it is over */
  gap: SvcStreamOnGapEventDataGap;
};

export type SvcStreamOnGapEventDataGap = {
  /** Number of the gap within its stream, from 1 */
  number: number;
  /** Seconds of stream time at which the last picture before it ended */
  time_start: number;
  /** Seconds of stream time at which pictures arrived again */
  time_end: number;
  /** Wall clock at `time_start`; null before the first picture */
  time_of_day_start: string | null;
  /** Wall clock at `time_end`; null before the first picture */
  time_of_day_end: string | null;
  /** Reason as text for people */
  reason: string;
  /** Job of the live stream */
  job_id: string;
};

export type SvcTrainingOnCompletedEvent = {
  /** Name of the event */
  event: "svc.training.on_completed";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: TrainingEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcTrainingOnFailedEvent = {
  /** Name of the event */
  event: "svc.training.on_failed";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: TrainingEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcTranscriptOnCreatedEvent = {
  /** Name of the event */
  event: "svc.transcript.on_created";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: SvcTranscriptOnCreatedEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcTranscriptOnCreatedEventData = {
  /** The transcript */
  transcript: Transcript;
};

export type SvcTranscriptVariantVersionOnCreatedEvent = {
  /** Name of the event */
  event: "svc.transcript.variant.version.on_created";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: SvcTranscriptVariantVersionOnCreatedEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcTranscriptVariantVersionOnCreatedEventData = {
  /** The new version */
  version: SvcTranscriptVariantVersionOnCreatedEventDataVersion;
};

export type SvcTranscriptVariantVersionOnCreatedEventDataVersion = {
  /** Id of the version */
  id: string;
  /** Number of the version, from 1 */
  version: number;
  /** When it was saved */
  time_created: string;
  /** Paragraphs it has */
  paragraph_count: number;
  /** Name of the key that made it */
  author: string;
  /** The version that it brought back */
  restored_version: number | null;
  /** Id of the transcript */
  transcript_id: string;
  /** Id of the variant */
  variant_id: string;
  /** The variant that it is of */
  variant: TranscriptVariant;
};

export type SvcTranscriptVariantVersionParagraphOnUpdatedEvent = {
  /** Name of the event */
  event: "svc.transcript.variant.version.paragraph.on_updated";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: SvcTranscriptVariantVersionParagraphOnUpdatedEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcTranscriptVariantVersionParagraphOnUpdatedEventData = {
  /** The paragraph as it is now */
  paragraph: SvcTranscriptVariantVersionParagraphOnUpdatedEventDataParagraph;
};

export type SvcTranscriptVariantVersionParagraphOnUpdatedEventDataParagraph = {
  /** The same in all versions */
  id: string;
  /** The version that it was changed in last, for If-Match */
  revision: number;
  /** Spoken text */
  text: string;
  /** Who said it; null where nobody knows */
  speaker: string | null;
  /** Seconds from the start of the source */
  time_start: number;
  /** Seconds from the start of the source */
  time_end: number;
  /** Id of the transcript */
  transcript_id: string;
  /** Id of the variant */
  variant_id: string;
  /** Id of the version that changed it */
  version_id: string;
  /** Number of the version that changed it */
  version: number;
};

export type SvcWebhookOnTestEvent = {
  /** Name of the event */
  event: "svc.webhook.on_test";
  /** The same at every attempt, as in the header webhook-id */
  id: string;
  /** When it happened: Unix seconds with fraction */
  timestamp: number;
  /** Subject of the event */
  data: SvcWebhookOnTestEventData;
  /** Base64 of HMAC-SHA256 over the bytes of `data` as sent */
  hmac_signature: string;
};

export type SvcWebhookOnTestEventData = {
  /** The webhook that is tried */
  webhook: SvcWebhookOnTestEventDataWebhook;
};

export type SvcWebhookOnTestEventDataWebhook = {
  /** Id of the webhook */
  id: string;
  /** The one event that it is told of */
  event: ResourceEventName;
  /** Address that the event is posted to */
  url: string;
  /** Description by its owner; may be empty */
  description: string;
};

export type TaskState = "waiting" | "processing" | "completed" | "failed";

export type Thumbnail = {
  /** JPEG in base64 */
  image: string;
  /** `width` and `height` in pixels */
  meta: Record<string, unknown>;
};

export type TimeRange = {
  /** Seconds from the start of the source; left out: its start */
  time_start?: number;
  /** Seconds from the start of the source; left out: its end */
  time_end?: number;
};

export type Training = {
  /** Id of the training */
  id: string;
  /** Type of the dataset */
  type: DatasetType;
  /** Id of the dataset */
  source_dataset_id: string;
  /** The dataset at the time of the request */
  source_dataset: Dataset;
  /** Model that gets a version */
  output_model_name: string;
  /** Purpose of the model */
  output_model_description: string;
  /** Changes in the version */
  output_model_changelog: string;
  /** Selection of faces */
  config: TrainingConfig;
  /** `waiting` and `processing` until it is `completed` or `failed` */
  state: TaskState;
  /** Why it failed; empty otherwise */
  error: string;
  /** From 0 to 1 */
  progress: number;
  /** Seconds */
  duration: number;
  /** When it was posted */
  time_created: string;
  /** When it began; null before */
  time_started: string | null;
  /** When it ended; null before */
  time_completed: string | null;
  /** Null until the training is completed */
  output_model: Model | null;
  /** Results; null until it is completed */
  report: TrainingReport | null;
};

export type TrainingConfig = {
  /** Pixels of the smallest side of a face; default 80 */
  min_face_size?: number;
  /** Least quality of a face, lower is blurrier; default 40 */
  sharpness_threshold?: number;
};

export type TrainingEventData = {
  /** The training */
  training: EndedTraining;
};

export type TrainingPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: Training[];
};

export type TrainingReport = {
  /** Classes of the version */
  number_of_classes: number;
  /** Images that it was made of */
  number_of_images: number;
  /** The first 1000 of them */
  left_out: LeftOutImage[];
  /** Images that were left out in all */
  number_left_out: number;
  /** Distance up to which a picture is named without giving any of the dataset the name of another class */
  threshold: number;
  /** Photos held out of the trial */
  held_out: number;
  /** Number with the name of their class */
  named_right: number;
  /** Number with the name of another class */
  named_wrong: number;
  /** Photos of classes that were asked of the others, which had never seen them */
  unseen?: number;
  /** Number with a name */
  unseen_named?: number;
  /** At most 10 */
  closest_pairs?: ClosePair[];
};

export type TrainingRequest = {
  /** Dataset whose active classes and images are learnt */
  source_dataset_id: string;
  /** A version is added to the workspace’s model of that name */
  output_model_name: string;
  /** Purpose of the model; default: empty */
  output_model_description?: string;
  /** Changes in the version; default: empty */
  output_model_changelog?: string;
  /** Selection of faces; landmarks have no parameters */
  config?: TrainingConfig;
};

export type Transcript = {
  /** Id of the transcript */
  id: string;
  /** Text of your own; that of the job where none was given */
  tag: string;
  /** The job that heard it, without its webhook */
  job: TranscriptJob;
  /** The source that was heard, as posted */
  source: string;
  /** When it was created */
  time_created: string;
  /** When it was changed last */
  time_updated: string;
};

export type TranscriptAccess = {
  /** Current scopes of the access key; for an API key the rights of its role */
  scopes: AccessScope[];
  /** The file that was heard; null where it is neither an upload nor under the local roots of the gateway, or was deleted */
  media: TranscriptAccessMedia | null;
};

export type TranscriptAccessMedia = {
  /** Name of the file */
  filename: string;
  /** Its media type; null where it is not known */
  content_type: string | null;
  /** Bytes */
  size: number;
};

export type TranscriptJob = {
  /** Id of the job */
  id: string;
  /** Text of your own; empty where none was given */
  tag: string;
  /** `waiting`, then `processing` until it is `completed`, `stopped` or `failed` */
  state: JobState;
  /** Errors so far as text for people, such as a source that cannot be read */
  errors: string[];
  /** From 0 to 1; of a live stream 0 until it has ended */
  progress: number;
  /** Seconds from its start to its end, or until now */
  duration: number;
  /** When it was posted */
  time_created: string;
  /** When its first source was opened; null before */
  time_started: string | null;
  /** When it ended; null before */
  time_completed: string | null;
  /** All of them where one job is asked for; the first 100 in lists and webhooks, as in `result.summary`. A live stream without user name, password and query */
  sources: string[];
  /** Names of `sources`, in the same order */
  source_names: string[];
  /** Number of its sources, also if `sources` is shortened */
  source_count: number;
  /** Address of the whole job */
  link: string;
  /** By module as posted: its arguments with their defaults, its state and its progress */
  modules: Record<string, JobModule>;
  /** Guessed when it is posted, corrected before `processing` */
  media_type: MediaType;
  /** Seconds after its end at which it is deleted; null: never */
  ttl: number | null;
  /** 0 to 9, higher goes first */
  priority: number;
  /** Number of the programme of its transport streams that is mined alone; left out where none was asked for */
  program?: number;
  /** Id of the batch it belongs to; null: none */
  batch: string | null;
  /** To be removed in version 2: read the detailed results and the summarized results instead */
  result: JobResult;
  /** Address of the gaps of its live stream; left out of other jobs */
  gaps?: string;
  /** Address of the recording of its live stream; left out where there is none */
  recording?: string;
  /** Seconds after which the next job goes on with its live stream; null: never. Left out of other jobs */
  rotate_seconds?: number | null;
  /** Id of the job that had its live stream before; null: none, or it was deleted. Left out of other jobs */
  previous_part?: string | null;
  /** Id of the job that goes on with its live stream; null: none so far, or it was deleted. Left out of other jobs */
  next_part?: string | null;
  /** Timecode of the master at the first frame of the source, `HH:MM:SS:FF` or `HH:MM:SS;FF` in drop-frame: exports for editing count from it; left out: the timecode of the file */
  start_timecode?: string;
  /** Frames a second that `start_timecode` counts: 23.976, 24, 25, 29.97, 30, 47.952, 48, 50, 59.94, 60; left out: the frame rate of the source */
  timecode_rate?: number;
  /** Reel or tape name of the master, at most 64 characters; left out: made of the file's name */
  reel?: string;
  /** Address of the master, as a URI or a UMID, which exports for editing name instead of the source */
  master?: string;
  /** Receiver of its events; null for none */
  webhook: JobWebhook | null;
  /** Included when one ended job is read, and in results.json; it covers cached results too */
  provenance?: JobProvenance;
  /** Always false */
  is_synced_to_kg: boolean;
};

export type TranscriptPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: Transcript[];
};

export type TranscriptParagraph = {
  /** The same in all versions */
  id: string;
  /** Its place in the version, from 0 */
  index: number;
  /** The version that it was changed in last, for If-Match */
  revision: number;
  /** Spoken text */
  text: string;
  /** Who said it; null where nobody knows */
  speaker: string | null;
  /** Seconds from the start of the source */
  time_start: number;
  /** Seconds from the start of the source */
  time_end: number;
  /** Its words, each with its times */
  words: TranscriptWord[];
};

export type TranscriptParagraphPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: TranscriptParagraph[];
};

export type TranscriptRequest = {
  /** A job that has ended and was asked for speech_recognition */
  job_id: string;
  /** Address of the source; required if the job has several */
  source?: string;
  /** Default: that of the job */
  tag?: string;
};

export type TranscriptVariant = {
  /** Id of the variant */
  id: string;
  /** Name of the variant */
  name: string;
  /** ISO 639-1 */
  language: string | null;
  /** Number of its newest version */
  latest_version: number;
  /** When it was created */
  time_created: string;
  /** When it was changed last */
  time_updated: string;
};

export type TranscriptVariantPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: TranscriptVariant[];
};

export type TranscriptVariantRequest = {
  /** The language it is in, such as `de` */
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
  /** Id of the version */
  id: string;
  /** Number of the version, from 1 */
  version: number;
  /** When it was saved */
  time_created: string;
  /** Paragraphs it has */
  paragraph_count: number;
  /** Name of the key that made it */
  author: string;
  /** The version that it brought back */
  restored_version: number | null;
};

export type TranscriptVersionPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: TranscriptVersion[];
};

export type TranscriptWord = {
  /** The word as it is written, punctuation with it */
  text: string;
  /** Seconds from the start of the source */
  time_start: number;
  /** Seconds from the start of the source */
  time_end: number;
  /** 0 to 1; 1 for what a person wrote */
  confidence: number;
};

export type Usage = {
  /** First day, in UTC */
  from: string;
  /** Last day, included */
  to: string;
  /** Sums of each group, in the order of the groups */
  rows: UsageRowsItem[];
  /** Bytes that the workspace stores now; null where all workspaces were asked for */
  bytes: UsageBytes | null;
  /** The quotas of the workspace, and what is left of each; null where all workspaces were asked for */
  quotas: QuotaUse[] | null;
};

export type UsageBytes = {
  /** Uploaded files, uploads under way included */
  uploads: number;
  /** Transcripts with all their versions */
  transcripts: number;
  /** Recordings of live streams */
  recordings: number;
};

export type UsageRowsItem = {
  /** The workspace; null unless grouped by it */
  workspace_id: string | null;
  /** The day in UTC; null unless grouped by it */
  day: string | null;
  /** Id of the module; null unless grouped by it */
  module: string | null;
  /** The key; null unless grouped by it */
  key: UsageRowsItemKey | null;
  /** Length of the media that was analysed; once for each module that asked for it */
  media_seconds: number;
  /** Wall time of the analyses of chunks */
  chunk_seconds: number;
  /** Time that models ran on CPUs */
  cpu_model_seconds: number;
  /** Time that models ran on GPUs; of a batch each chunk has its share of rows */
  gpu_model_seconds: number;
};

export type UsageRowsItemKey = {
  /** Id of the key that posted the jobs; null where that is not known */
  id: string | null;
  /** Its name; null once it is deleted */
  name: string | null;
};

export type VersionChange = ParagraphRemoval | ParagraphEdit | ParagraphInsertion;

export type VersionRequest = {
  /** The version that was edited: what was changed since is not overwritten, 409. Default: the newest */
  base_version?: number;
  /** Changes, at most 1000 at once; all are saved or none */
  changes?: VersionChange[];
  /** Its number or id */
  restore_version?: number | string;
};

export type VideoFacts = {
  /** Always `video` */
  kind: "video";
  /** Container, as ffprobe names it */
  container: string;
  /** Codec, as ffprobe names it */
  codec: string;
  /** Index of the chosen video stream in the file */
  stream: number;
  /** In pixels, as displayed */
  width: number;
  /** In pixels, as displayed */
  height: number;
  /** Frames a second by the distance that frames usually have; the average where there is no usual one */
  fps: Rational;
  /** Whether a frame's number does not tell its time: distances vary, or frames are missing */
  variableFrameRate: boolean;
  /** Frames of the film */
  totalFrames: number;
  /** Seconds from the first frame's presentation to the last frame's end, or that of the sound where it lasts longer */
  duration: number;
  /** Seconds per pts tick */
  timeBase: Rational;
  /** pts of the first displayed frame, in ticks; segment times count from here */
  startPts: number;
  /** SMPTE timecode of the first frame, `HH:MM:SS:FF` or `HH:MM:SS;FF`; null when the file carries none */
  startTimecode: string | null;
  /** Numbers a second of its timecode, where that is not the frame rate: 25 in 50p */
  timecodeRate?: Rational;
  /** Degrees by which stored frames are turned for display */
  rotation: number;
  /** Whether frames are stored as two fields */
  interlaced: boolean;
  /** Width of a stored pixel over its height */
  sampleAspectRatio: Rational;
  /** Bits of each colour of a pixel */
  bitDepth: number;
  /** Whether it has a high dynamic range */
  hdr: boolean;
  /** Its tracks of sound */
  audioStreams: AudioStream[];
  /** True of a live stream: its frames and its duration are not known before it has ended; left out of films */
  live?: true;
  /** Time without pictures; left out where there is none */
  gaps?: ClockGaps;
};

export type Webhook = {
  /** Id of the webhook */
  id: string;
  /** The one event that it is told of */
  event: ResourceEventName;
  /** Address that the event is posted to */
  url: string;
  /** Null for who may not change the webhook: API keys of the role reader */
  hmac_secret: string | null;
  /** Description by its owner; may be empty */
  description: string;
  /** When it was created */
  time_created: string;
  /** Reserved, has no effect: deliveries are always tried again at growing intervals */
  exp_backoff: boolean;
  /** Reserved, has no effect: says how often a delivery is tried */
  retry_limit: number;
  /** Whether events are sent */
  enabled: boolean;
  /** Why Adit disabled it; null while it is enabled, or was disabled by a client */
  disabled_reason: string | null;
  /** When it was disabled; null while it is enabled */
  time_disabled: string | null;
};

export type WebhookAttempt = {
  /** Id of the attempt */
  id: string;
  /** Message that was sent, the same at every attempt */
  message_id: string;
  /** Name of the event */
  event: string;
  /** Number of the attempt at this message, from 1 */
  attempt: number;
  /** When it was sent */
  time_started: string;
  /** Seconds that it took */
  duration: number;
  /** HTTP status of the answer; null when none came */
  status: number | null;
  /** Why it did not succeed; null when it did */
  error: string | null;
  /** Beginning of the answer's body, at most 4096 bytes; null when no answer came */
  response: string | null;
  /** State of the message now */
  state: WebhookMessageState;
  /** When the message is tried again; null when it is not */
  time_next: string | null;
};

export type WebhookAttemptPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: WebhookAttempt[];
};

export type WebhookChange = {
  /** The one event that it is told of */
  event?: ResourceEventName;
  /** http(s) address that the event is posted to */
  url?: string;
  /** Signs what is sent */
  hmac_secret?: string;
  /** Description */
  description?: string;
  /** false: nothing is sent; true begins again */
  enabled?: boolean;
};

export type WebhookMessage = {
  /** The receiver sees it as `webhook-id` and as `id` in the body, the same at every attempt */
  message_id: string;
  /** Name of the event */
  event: string;
  /** Whether it was delivered, or will be tried again */
  state: WebhookMessageState;
};

export type WebhookMessageState = "pending" | "delivered" | "failed" | "gone";

export type WebhookPage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: Webhook[];
};

export type WebhookRequest = {
  /** The one event that it is told of */
  event: ResourceEventName;
  /** http(s) address that the event is posted to */
  url: string;
  /** Signs what is sent */
  hmac_secret: string;
  /** Description; default: empty */
  description?: string;
  /** false: nothing is sent; true begins again */
  enabled?: boolean;
};

export type Workspace = {
  /** Id of the workspace */
  id: string;
  /** Name of the workspace */
  name: string;
  /** Bytes its files, transcripts and recordings may have; null: as the gateway is configured, 0: no limit */
  storage_bytes: number | null;
  /** Its quotas beside `storage_bytes`; one that is left out is not set */
  quotas: Quotas;
  /** Bytes its files, transcripts and recordings have, uploads under way included */
  storage_used: number;
  /** Its share of the machines against other workspaces */
  weight: number;
  /** Whether observations of media are cached for later jobs */
  observation_cache: boolean;
  /** When it was created */
  time_created: string;
};

export type WorkspaceChange = {
  /** Name of the workspace, 1 to 100 characters */
  name?: string;
  /** Bytes its files, transcripts and recordings may have; null: as the gateway is configured, 0: no limit */
  storage_bytes?: number | null;
  /** Its quotas beside `storage_bytes`; one that is left out stays as it is, null ends it */
  quotas?: QuotasChange;
  /** Its share of the machines against other workspaces, 1 to 1000 */
  weight?: number;
  /** Whether observations of media are cached for later jobs */
  observation_cache?: boolean;
};

export type WorkspaceLoad = {
  /** Jobs that wait */
  jobs_waiting: number;
  /** Jobs that run */
  jobs_processing: number;
  /** Live streams that wait for a recorder */
  streams_waiting: number;
  /** Live streams that are read */
  streams_reading: number;
  /** Webhooks that Adit has disabled */
  webhooks_disabled: number;
  /** Bytes that its files, transcripts and recordings have */
  storage_used: number;
  /** Bytes that they may have; null: no limit */
  storage_bytes: number | null;
};

export type WorkspacePage = {
  /** Total number of objects */
  total: number;
  /** Index of the first object of the page, from 0 */
  offset: number;
  /** Most objects of the page */
  limit: number;
  /** Address of the next page; null on the last */
  next: string | null;
  /** Address of the page before; null on the first */
  prev: string | null;
  /** The objects of the page */
  data: Workspace[];
};

export type WorkspaceReceipt = {
  /** Id of the workspace that was erased */
  id: string;
  /** Its name */
  name: string;
  /** Always `erased` */
  state: "erased";
  /** Number of each kind */
  counts: Record<string, number>;
  /** When it was done */
  time: string;
  /** Id of the API key that asked for it */
  key: string;
};

export type WorkspaceRequest = {
  /** Name of the workspace, 1 to 100 characters */
  name: string;
  /** Bytes its files, transcripts and recordings may have; null, the default: as the gateway is configured, 0: no limit */
  storage_bytes?: number | null;
  /** Its quotas beside `storage_bytes`; default: none */
  quotas?: QuotasChange;
  /** Its share of the machines against other workspaces, 1 to 1000; default 1 */
  weight?: number;
  /** Whether observations of media are cached for later jobs; default true */
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
      media_type?: MediaType;
      batch?: string;
    };
    body: undefined;
    form: undefined;
    reply: JobPage;
  };
  /** Remove many jobs with their results */
  'DELETE /v1/jobs/': {
    params: Record<never, never>;
    query: {
      ids?: string;
      search?: string;
      tag?: string;
      state?: JobState;
      media_type?: MediaType;
      batch?: string;
      time_created_from?: string;
      time_created_to?: string;
      limit?: number;
    };
    body: undefined;
    form: undefined;
    reply: DeletedJobs;
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
  /** Clip of a segment */
  'GET /v1/jobs/{jobId}/detailed-results/{segmentId}/clip/': {
    params: {
      jobId: string;
      segmentId: number;
    };
    query: {
      exact?: boolean;
      handles?: number;
    };
    body: undefined;
    form: undefined;
    reply: null;
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
  /** Gaps of a live stream */
  'GET /v1/jobs/{jobId}/gaps/': {
    params: {
      jobId: string;
    };
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
    };
    body: undefined;
    form: undefined;
    reply: StreamGapPage;
  };
  /** Recording of a live stream */
  'GET /v1/jobs/{jobId}/recording/': {
    params: {
      jobId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Recording;
  };
  /** HLS playlist of a recording */
  'GET /v1/jobs/{jobId}/recording/index.m3u8': {
    params: {
      jobId: string;
    };
    query: {
      ticket?: string;
    };
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** Segment of a recording */
  'GET /v1/jobs/{jobId}/recording/{part}': {
    params: {
      jobId: string;
      part: string;
    };
    query: {
      ticket?: string;
    };
    body: undefined;
    form: undefined;
    reply: null;
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
  /** A link by which a player reads a source of a job */
  'GET /v1/jobs/{jobId}/media/': {
    params: {
      jobId: string;
    };
    query: {
      source?: number;
    };
    body: undefined;
    form: undefined;
    reply: MediaLink;
  };
  /** The file that a link opens */
  'GET /v1/media/': {
    params: Record<never, never>;
    query: {
      link: string;
    };
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** Live streams and how they do, newest first */
  'GET /v1/streams/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
      active?: boolean;
    };
    body: undefined;
    form: undefined;
    reply: LiveStreamPage;
  };
  /** How the live stream of a job does */
  'GET /v1/jobs/{jobId}/stream/': {
    params: {
      jobId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: LiveStream;
  };
  /** The newest picture of a live stream in which something was found */
  'GET /v1/jobs/{jobId}/stream/picture/': {
    params: {
      jobId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: StreamPicture;
  };
  /** Moments of all jobs */
  'GET /v1/search/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
      q?: string;
      who?: string;
      what?: string;
      said?: string;
      written?: string;
      where?: string;
      module?: string;
      job_id?: string;
      batch_id?: string;
      tag?: string;
      language?: string;
      when?: string;
      box?: string;
      together?: number;
      fuzzy?: boolean;
      facets?: boolean;
    };
    body: undefined;
    form: undefined;
    reply: SearchPage;
  };
  /** Moments that show the person of a photo */
  'POST /v1/search/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
      cursor?: string;
      time_created_from?: string;
      time_created_to?: string;
      facets?: boolean;
    };
    body: undefined;
    form: PhotoSearchForm;
    reply: SearchPage;
  };
  /** Index everything again */
  'POST /v1/search/rebuild/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: SearchRebuild;
  };
  /** Saved searches, the oldest first */
  'GET /v1/searches/': {
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
    reply: SavedSearchPage;
  };
  /** Save a search, to be told of new results */
  'POST /v1/searches/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: SavedSearchRequest;
    form: undefined;
    reply: SavedSearch;
  };
  /** Read a saved search */
  'GET /v1/searches/{searchId}/': {
    params: {
      searchId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: SavedSearch;
  };
  /** Replace a saved search */
  'PUT /v1/searches/{searchId}/': {
    params: {
      searchId: string;
    };
    query: Record<never, never>;
    body: SavedSearchRequest;
    form: undefined;
    reply: SavedSearch;
  };
  /** Delete a saved search */
  'DELETE /v1/searches/{searchId}/': {
    params: {
      searchId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** New results that a saved search has found, the newest first */
  'GET /v1/searches/{searchId}/matches/': {
    params: {
      searchId: string;
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
    reply: SearchMatchesPage;
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
  /** Follow a workspace as server-sent events */
  'GET /v1/events/': {
    params: Record<never, never>;
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
  /** The same list in pages */
  'GET /v1/storage': {
    params: Record<never, never>;
    query: {
      cursor: string;
      folder?: string;
      offset?: number;
      limit?: number;
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: StorageEntryPage;
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
  /** How many bytes the workspace stores, and may store */
  'GET /v1/storage/usage/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: StorageUse;
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
  /** List the storage credentials of the workspace */
  'GET /v1/storage-credentials/': {
    params: Record<never, never>;
    query: {
      time_created_from?: string;
      time_created_to?: string;
    };
    body: undefined;
    form: undefined;
    reply: StorageCredentials[];
  };
  /** Store credentials for a bucket */
  'POST /v1/storage-credentials/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: StorageCredentialsRequest;
    form: undefined;
    reply: StorageCredentials;
  };
  /** The same list in pages */
  'GET /v1/storage-credentials': {
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
    reply: StorageCredentialsPage;
  };
  /** Read storage credentials */
  'GET /v1/storage-credentials/{credentialsId}/': {
    params: {
      credentialsId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: StorageCredentials;
  };
  /** Replace storage credentials */
  'PUT /v1/storage-credentials/{credentialsId}/': {
    params: {
      credentialsId: string;
    };
    query: Record<never, never>;
    body: StorageCredentialsRequest;
    form: undefined;
    reply: StorageCredentials;
  };
  /** Delete storage credentials */
  'DELETE /v1/storage-credentials/{credentialsId}/': {
    params: {
      credentialsId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
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
  /** A small picture of an image */
  'GET /v1/datasets/{datasetId}/classes/{classId}/images/{imageId}/thumbnail/': {
    params: {
      datasetId: string;
      classId: string;
      imageId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
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
      named?: boolean;
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
      named?: boolean;
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
  /** How long the workspace keeps what, by kind */
  'GET /v1/retention/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Retention;
  };
  /** Say how long the workspace keeps what */
  'PUT /v1/retention/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: RetentionRequest;
    form: undefined;
    reply: Retention;
  };
  /** What goes next, by kind */
  'GET /v1/retention/upcoming/': {
    params: Record<never, never>;
    query: {
      within_hours?: number;
    };
    body: undefined;
    form: undefined;
    reply: RetentionUpcoming;
  };
  /** List the tags under a legal hold */
  'GET /v1/retention/holds/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: RetentionHolds;
  };
  /** Put the jobs with a tag under a legal hold */
  'POST /v1/retention/holds/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: RetentionHold;
    form: undefined;
    reply: RetentionHolds;
  };
  /** Lift a legal hold */
  'DELETE /v1/retention/holds/{heldTag}/': {
    params: {
      heldTag: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: RetentionHolds;
  };
  /** Who the key of this request is, or who is signed in */
  'GET /v1/me/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Me;
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
      member_id?: string;
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
      member_id?: string;
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
      member_id?: string;
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
  /** List the members of the workspace */
  'GET /v1/members/': {
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
    reply: MemberPage;
  };
  /** Change the role of a member */
  'PATCH /v1/members/{memberId}/': {
    params: {
      memberId: string;
    };
    query: Record<never, never>;
    body: MemberChange;
    form: undefined;
    reply: Member;
  };
  /** Remove a member from the workspace */
  'DELETE /v1/members/{memberId}/': {
    params: {
      memberId: string;
    };
    query: {
      revoke_keys?: boolean;
    };
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** List the open invitations of the workspace */
  'GET /v1/invitations/': {
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
    reply: InvitationPage;
  };
  /** Invite somebody to the workspace; the reply shows the link once */
  'POST /v1/invitations/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: InvitationRequest;
    form: undefined;
    reply: CreatedInvitation;
  };
  /** Take an invitation back */
  'DELETE /v1/invitations/{invitationId}/': {
    params: {
      invitationId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: Message;
  };
  /** List the sessions of the members of the workspace */
  'GET /v1/sessions/': {
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
    reply: SessionPage;
  };
  /** End a session */
  'DELETE /v1/sessions/{sessionId}/': {
    params: {
      sessionId: string;
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
      action?: string;
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
  /** Disk use of the installation, by kind */
  'GET /v1/disk-use/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: DiskUse;
  };
  /** What runs, what lags, and what to do */
  'GET /v1/health/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: InstallationHealth;
  };
  /** What analyses took, by day, module and key */
  'GET /v1/usage/': {
    params: Record<never, never>;
    query: {
      from?: string;
      to?: string;
      group_by?: string;
      workspaces?: GetUsageWorkspaces;
      format?: GetUsageFormat;
    };
    body: undefined;
    form: undefined;
    reply: Usage;
  };
}
