/* Written from docs/api/openapi.json by generate-schema.ts; not to be edited. */

export type AccessKey = {
  key: string;
  name: string;
  type: "jwt";
  scopes: ("transcript.read" | "transcript.write" | "export.read" | "export.write")[];
  time_created: string;
};

export type ApiKey = {
  id: string;
  name: string;
  prefix: string;
  /** admin: everything; member: everything but keys and the audit log; reader: reads what a member may read */
  role: "admin" | "member" | "reader";
  /** Null: as the gateway is configured; 0: no limit */
  requests_per_second: number | null;
  /** Null: as the gateway is configured; 0: no limit */
  jobs_per_day: number | null;
  time_created: string;
  time_last_used: string | null;
  time_expires: string | null;
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

export type AuditEntry = {
  id: number;
  time: string;
  actor: {
    kind: "api-key" | "access-key";
    id: string;
    name: string;
  };
  action: string;
  resource: string;
  resource_id: string | null;
  fields: string[];
  request_id: string;
};

export type DetailedResult = {
  media_type: "video" | "image" | "audio" | "videostream";
  frame_start: number | null;
  frame_end: number | null;
  time_start: number;
  time_end: number;
  tc_start: string;
  tc_end: string;
  source: string;
  module: string;
  meta: Record<string, unknown>;
  detections: ({
    frame_index: number;
    type: string;
    data: Record<string, number>;
  })[];
  thumbnail: {
    image: string;
    meta: Record<string, unknown>;
  } | null;
};

export type DryRun = {
  media_type: string;
  modules: Record<string, {
    module: string;
    arguments: Record<string, unknown>;
    models: ModelPin[];
    analyses: ({
      analysis: string;
      digest: string;
      models: ModelPin[];
    })[];
  }>;
  sources: ({
    source: string;
    facts: MediaFacts | null;
    error: string | null;
  })[];
  estimate: {
    media_seconds: number;
    pictures: number;
  };
};

export type Job = {
  id: string;
  tag: string;
  state: "waiting" | "processing" | "completed" | "stopped" | "failed";
  errors: string[];
  progress: number;
  duration: number;
  time_created: string;
  time_started: string | null;
  time_completed: string | null;
  sources: string[];
  modules: Record<string, {
    state: "waiting" | "processing" | "completed" | "stopped" | "failed";
    progress: number;
  } & Record<string, unknown>>;
  media_type: "image" | "video" | "audio" | "videostream" | "pdf" | "xml";
  ttl: number | null;
  priority: number;
  /** Id of the batch it belongs to */
  batch: string | null;
  result: {
    detailed_link: string;
    summary: ResultSummary[];
  };
  webhook: JobWebhook | null;
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

export type JobWebhook = {
  events: string[];
  callback: string;
};

export type MediaFacts = {
  kind: "video";
  container: string;
  codec: string;
  stream: number;
  width: number;
  height: number;
  fps: {
    num: number;
    den: number;
  };
  variableFrameRate: boolean;
  totalFrames: number;
  duration: number;
  timeBase: {
    num: number;
    den: number;
  };
  startPts: number;
  startTimecode: string | null;
  rotation: number;
  interlaced: boolean;
  sampleAspectRatio: {
    num: number;
    den: number;
  };
  bitDepth: number;
  hdr: boolean;
  audioStreams: ({
    stream: number;
    codec: string;
    channels: number;
    sampleRate: number;
  })[];
} | {
  kind: "image";
  format: "jpeg" | "png";
  width: number;
  height: number;
} | {
  kind: "audio";
  container: string;
  codec: string;
  duration: number;
  channels: number;
  sampleRate: number;
};

export type Model = {
  id: string;
  name: string;
  description: string;
  /** Those that are installed, by number */
  versions: ModelVersion[];
  latest_version: ModelVersion;
  type: "face" | "landmark" | "object";
  /** Modules that take it in `model` */
  modules: string[];
  /** It comes with Adit, and cannot be changed or deleted */
  is_public: boolean;
  time_created: string;
  time_updated: string;
  custom_fields: (Record<string, unknown>)[];
};

export type ModelPin = {
  name: string;
  version: number;
  digest: string;
};

export type ModelVersion = {
  version_number: number;
  time_created: string;
  changelog: string;
  /** The dataset it was trained with; null when it was installed as files */
  source_dataset: null;
};

export type NewAccessKey = {
  key: string;
  name: string;
  type: "jwt";
  scopes: ("transcript.read" | "transcript.write" | "export.read" | "export.write")[];
  time_created: string;
  secret: string;
};

export type NewApiKey = {
  id: string;
  name: string;
  prefix: string;
  /** admin: everything; member: everything but keys and the audit log; reader: reads what a member may read */
  role: "admin" | "member" | "reader";
  /** Null: as the gateway is configured; 0: no limit */
  requests_per_second: number | null;
  /** Null: as the gateway is configured; 0: no limit */
  jobs_per_day: number | null;
  time_created: string;
  time_last_used: string | null;
  time_expires: string | null;
  key: string;
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
  errors: ({
    pointer: string;
    code: string;
    message: string;
  })[];
};

export type ResultSummary = {
  source: string;
  media_type: "image" | "video" | "audio" | "videostream" | "pdf" | "xml";
  info: {
    fps: number;
    resolution: [number, number];
    total_frames: number;
    duration: number;
  } | Record<string, never>;
  items: ({
    type: string;
    label: string;
    module: string;
  })[];
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

export type SummarizedResult = {
  id: string;
  source: string;
  module: string;
  type: string;
  meta: Record<string, number>;
};

/** What each operation takes and answers; `reply` is null where the answer is no JSON. */
export interface Operations {
  /** Create a job */
  'POST /v1/jobs/': {
    params: Record<never, never>;
    query: {
      dry_run?: "0" | "1" | "true" | "false";
    };
    body: JobRequest;
    form: undefined;
    reply: Job | DryRun;
  };
  /** List jobs, newest first */
  'GET /v1/jobs/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
      search?: string;
      tag?: string;
      state?: "waiting" | "processing" | "completed" | "stopped" | "failed";
      batch?: string;
    };
    body: undefined;
    form: undefined;
    reply: {
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      prev: string | null;
      data: Job[];
    };
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
    reply: {
      message: string;
    };
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
  /** Run the failed and stopped modules of an ended job again */
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
      module?: string;
      type?: string;
      label?: string;
      time_start?: number;
      time_end?: number;
      min_confidence?: number;
    };
    body: undefined;
    form: undefined;
    reply: {
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      prev: string | null;
      data: DetailedResult[];
    };
  };
  /** Sums over a whole source */
  'GET /v1/jobs/{jobId}/summarized-results/': {
    params: {
      jobId: string;
    };
    query: {
      offset?: number;
      limit?: number;
      module?: string;
      type?: string;
    };
    body: undefined;
    form: undefined;
    reply: {
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      prev: string | null;
      data: SummarizedResult[];
    };
  };
  /** Files a job made */
  'GET /v1/jobs/{jobId}/artifacts/': {
    params: {
      jobId: string;
    };
    query: {
      offset?: number;
      limit?: number;
    };
    body: undefined;
    form: undefined;
    reply: {
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      prev: string | null;
      data: Artifact[];
    };
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
      if_exists?: "refuse" | "replace";
    };
    body: undefined;
    form: {
      file: Blob;
      /** Path of a folder, e.g. /news/2026 */
      folder?: string;
      /** Default: the name the file is sent with */
      name?: string;
      /** What to do when the folder has a file of that name; default refuse (409) */
      if_exists?: "refuse" | "replace";
    };
    reply: StorageEntry;
  };
  /** List the files and folders of a folder */
  'GET /v1/storage/': {
    params: Record<never, never>;
    query: {
      folder?: string;
      offset?: number;
      limit?: number;
    };
    body: undefined;
    form: undefined;
    reply: StorageEntry[];
  };
  /** Read an entry */
  'GET /v1/storage/{storageId}/': {
    params: {
      storageId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: StorageEntry;
  };
  /** Remove a file, or a folder with everything in it */
  'DELETE /v1/storage/{storageId}/': {
    params: {
      storageId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: {
      message: string;
    };
  };
  /** Download a file */
  'GET /v1/storage/{storageId}/file/': {
    params: {
      storageId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** A small picture of a file */
  'GET /v1/storage/{storageId}/thumbnail/': {
    params: {
      storageId: string;
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
      if_exists?: "refuse" | "replace";
    };
    body: undefined;
    form: {
      file: Blob;
      /** Path of a folder, e.g. /news/2026 */
      folder?: string;
      /** Default: the name the file is sent with */
      name?: string;
      /** What to do when the folder has a file of that name; default refuse (409) */
      if_exists?: "refuse" | "replace";
    };
    reply: {
      id: number;
      url: string | null;
      file_size: number | null;
      name: string;
      uploaded: boolean;
      upload_failed: boolean;
      storage_type: "IMAGE" | "VIDEO" | "AUDIO" | "FOLDER" | null;
      uploaded_at: string | null;
    };
  };
  /** List the files and folders of a folder */
  'GET /v2/storage/': {
    params: Record<never, never>;
    query: {
      folder?: string;
      offset?: number;
      limit?: number;
    };
    body: undefined;
    form: undefined;
    reply: {
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      prev: string | null;
      data: ({
        id: number;
        url: string | null;
        file_size: number | null;
        name: string;
        uploaded: boolean;
        upload_failed: boolean;
        storage_type: "IMAGE" | "VIDEO" | "AUDIO" | "FOLDER" | null;
        uploaded_at: string | null;
      })[];
    };
  };
  /** Read an entry */
  'GET /v2/storage/{storageId}/': {
    params: {
      storageId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: {
      id: number;
      url: string | null;
      file_size: number | null;
      name: string;
      uploaded: boolean;
      upload_failed: boolean;
      storage_type: "IMAGE" | "VIDEO" | "AUDIO" | "FOLDER" | null;
      uploaded_at: string | null;
    };
  };
  /** Remove a file, or a folder with everything in it */
  'DELETE /v2/storage/{storageId}/': {
    params: {
      storageId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: {
      message: string;
    };
  };
  /** Download a file */
  'GET /v2/storage/{storageId}/file/': {
    params: {
      storageId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** A small picture of a file */
  'GET /v2/storage/{storageId}/thumbnail/': {
    params: {
      storageId: string;
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
      if_exists?: "refuse" | "replace";
    };
    body: undefined;
    form: undefined;
    reply: StorageEntry;
  };
  /** How far a resumable upload is: Upload-Offset */
  'HEAD /v1/storage/uploads/{storageId}/': {
    params: {
      storageId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** Send the bytes of a resumable upload from its offset on */
  'PATCH /v1/storage/uploads/{storageId}/': {
    params: {
      storageId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: null;
  };
  /** Give a resumable upload up, or remove the file that it became */
  'DELETE /v1/storage/uploads/{storageId}/': {
    params: {
      storageId: string;
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
    form: {
      name?: string;
      /** any, auto, or a language by name (german) or code (de) */
      language?: string;
      /** text/plain: an entry a line. text/csv: a header with at least the columns source and target. UTF-8. */
      file: Blob;
    };
    reply: {
      id: string;
      name: string;
      type: "simple" | "map";
      language: "any" | "amharic" | "arabic" | "azerbaijani" | "belarusian" | "bulgarian" | "bengali" | "catalan" | "czech" | "danish" | "german" | "greek" | "english" | "spanish" | "estonian" | "basque" | "persian" | "finnish" | "french" | "gujarati" | "hebrew" | "hindi" | "croatian" | "hungarian" | "armenian" | "icelandic" | "italian" | "japanese" | "georgian" | "kannada" | "korean" | "kurdish" | "lao" | "lithuanian" | "latvian" | "malayalam" | "marathi" | "malay" | "dutch" | "norwegian" | "odia" | "punjabi" | "polish" | "portuguese" | "romanian" | "russian" | "slovak" | "slovene" | "albanian" | "serbian" | "swedish" | "tamil" | "telugu" | "thai" | "tagalog" | "turkish" | "ukrainian" | "urdu" | "vietnamese" | "yoruba" | "chinese";
      time_created: string;
      is_public: boolean;
    };
  };
  /** List the dictionaries of the workspace and the public ones */
  'GET /v1/dictionaries/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
    };
    body: undefined;
    form: undefined;
    reply: ({
      id: string;
      name: string;
      type: "simple" | "map";
      language: "any" | "amharic" | "arabic" | "azerbaijani" | "belarusian" | "bulgarian" | "bengali" | "catalan" | "czech" | "danish" | "german" | "greek" | "english" | "spanish" | "estonian" | "basque" | "persian" | "finnish" | "french" | "gujarati" | "hebrew" | "hindi" | "croatian" | "hungarian" | "armenian" | "icelandic" | "italian" | "japanese" | "georgian" | "kannada" | "korean" | "kurdish" | "lao" | "lithuanian" | "latvian" | "malayalam" | "marathi" | "malay" | "dutch" | "norwegian" | "odia" | "punjabi" | "polish" | "portuguese" | "romanian" | "russian" | "slovak" | "slovene" | "albanian" | "serbian" | "swedish" | "tamil" | "telugu" | "thai" | "tagalog" | "turkish" | "ukrainian" | "urdu" | "vietnamese" | "yoruba" | "chinese";
      time_created: string;
      is_public: boolean;
    })[] | {
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      prev: string | null;
      data: ({
        id: string;
        name: string;
        type: "simple" | "map";
        language: "any" | "amharic" | "arabic" | "azerbaijani" | "belarusian" | "bulgarian" | "bengali" | "catalan" | "czech" | "danish" | "german" | "greek" | "english" | "spanish" | "estonian" | "basque" | "persian" | "finnish" | "french" | "gujarati" | "hebrew" | "hindi" | "croatian" | "hungarian" | "armenian" | "icelandic" | "italian" | "japanese" | "georgian" | "kannada" | "korean" | "kurdish" | "lao" | "lithuanian" | "latvian" | "malayalam" | "marathi" | "malay" | "dutch" | "norwegian" | "odia" | "punjabi" | "polish" | "portuguese" | "romanian" | "russian" | "slovak" | "slovene" | "albanian" | "serbian" | "swedish" | "tamil" | "telugu" | "thai" | "tagalog" | "turkish" | "ukrainian" | "urdu" | "vietnamese" | "yoruba" | "chinese";
        time_created: string;
        is_public: boolean;
      })[];
    };
  };
  /** Read a dictionary */
  'GET /v1/dictionaries/{dictionaryId}/': {
    params: {
      dictionaryId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: {
      id: string;
      name: string;
      type: "simple" | "map";
      language: "any" | "amharic" | "arabic" | "azerbaijani" | "belarusian" | "bulgarian" | "bengali" | "catalan" | "czech" | "danish" | "german" | "greek" | "english" | "spanish" | "estonian" | "basque" | "persian" | "finnish" | "french" | "gujarati" | "hebrew" | "hindi" | "croatian" | "hungarian" | "armenian" | "icelandic" | "italian" | "japanese" | "georgian" | "kannada" | "korean" | "kurdish" | "lao" | "lithuanian" | "latvian" | "malayalam" | "marathi" | "malay" | "dutch" | "norwegian" | "odia" | "punjabi" | "polish" | "portuguese" | "romanian" | "russian" | "slovak" | "slovene" | "albanian" | "serbian" | "swedish" | "tamil" | "telugu" | "thai" | "tagalog" | "turkish" | "ukrainian" | "urdu" | "vietnamese" | "yoruba" | "chinese";
      time_created: string;
      is_public: boolean;
    };
  };
  /** Replace name and language, and the file when one is sent */
  'PUT /v1/dictionaries/{dictionaryId}/': {
    params: {
      dictionaryId: string;
    };
    query: Record<never, never>;
    body: {
      name: string;
      /** any, auto, or a language by name (german) or code (de) */
      language?: string;
    };
    form: {
      name: string;
      /** any, auto, or a language by name (german) or code (de) */
      language?: string;
      /** text/plain: an entry a line. text/csv: a header with at least the columns source and target. UTF-8. */
      file?: Blob;
    };
    reply: {
      id: string;
      name: string;
      type: "simple" | "map";
      language: "any" | "amharic" | "arabic" | "azerbaijani" | "belarusian" | "bulgarian" | "bengali" | "catalan" | "czech" | "danish" | "german" | "greek" | "english" | "spanish" | "estonian" | "basque" | "persian" | "finnish" | "french" | "gujarati" | "hebrew" | "hindi" | "croatian" | "hungarian" | "armenian" | "icelandic" | "italian" | "japanese" | "georgian" | "kannada" | "korean" | "kurdish" | "lao" | "lithuanian" | "latvian" | "malayalam" | "marathi" | "malay" | "dutch" | "norwegian" | "odia" | "punjabi" | "polish" | "portuguese" | "romanian" | "russian" | "slovak" | "slovene" | "albanian" | "serbian" | "swedish" | "tamil" | "telugu" | "thai" | "tagalog" | "turkish" | "ukrainian" | "urdu" | "vietnamese" | "yoruba" | "chinese";
      time_created: string;
      is_public: boolean;
    };
  };
  /** Change what is sent */
  'PATCH /v1/dictionaries/{dictionaryId}/': {
    params: {
      dictionaryId: string;
    };
    query: Record<never, never>;
    body: {
      name?: string;
      /** any, auto, or a language by name (german) or code (de) */
      language?: string;
    };
    form: {
      name?: string;
      /** any, auto, or a language by name (german) or code (de) */
      language?: string;
      /** text/plain: an entry a line. text/csv: a header with at least the columns source and target. UTF-8. */
      file?: Blob;
    };
    reply: {
      id: string;
      name: string;
      type: "simple" | "map";
      language: "any" | "amharic" | "arabic" | "azerbaijani" | "belarusian" | "bulgarian" | "bengali" | "catalan" | "czech" | "danish" | "german" | "greek" | "english" | "spanish" | "estonian" | "basque" | "persian" | "finnish" | "french" | "gujarati" | "hebrew" | "hindi" | "croatian" | "hungarian" | "armenian" | "icelandic" | "italian" | "japanese" | "georgian" | "kannada" | "korean" | "kurdish" | "lao" | "lithuanian" | "latvian" | "malayalam" | "marathi" | "malay" | "dutch" | "norwegian" | "odia" | "punjabi" | "polish" | "portuguese" | "romanian" | "russian" | "slovak" | "slovene" | "albanian" | "serbian" | "swedish" | "tamil" | "telugu" | "thai" | "tagalog" | "turkish" | "ukrainian" | "urdu" | "vietnamese" | "yoruba" | "chinese";
      time_created: string;
      is_public: boolean;
    };
  };
  /** Remove a dictionary */
  'DELETE /v1/dictionaries/{dictionaryId}/': {
    params: {
      dictionaryId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: {
      message: string;
    };
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
  /** Remove a dictionary, by the path under which it was once listed */
  'DELETE /v1/datasets/{dictionaryId}/': {
    params: {
      dictionaryId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: {
      message: string;
    };
  };
  /** Modules with their arguments and the models installed for them */
  'GET /v1/modules/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: ({
      id: string;
      aliases: string[];
      result_module: string;
      media: string[];
      /** JSON Schema */
      arguments: Record<string, unknown>;
      models: ({
        name: string;
        version: number;
        is_default: boolean;
      })[];
      models_not_installed: ({
        name: string;
        purpose: string;
      })[];
    })[];
  };
  /** List the models that a job may name */
  'GET /v1/models/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
    };
    body: undefined;
    form: undefined;
    reply: Model[] | {
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      prev: string | null;
      data: Model[];
    };
  };
  /** Read a model */
  'GET /v1/models/{modelId}/': {
    params: {
      modelId: string;
    };
    query: Record<never, never>;
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
    body: {
      /** Left out: what the model says of itself */
      description?: string;
      custom_fields?: (Record<string, unknown>)[];
      id?: unknown;
      name?: unknown;
      versions?: unknown;
      latest_version?: unknown;
      type?: unknown;
      modules?: unknown;
      is_public?: unknown;
      time_created?: unknown;
      time_updated?: unknown;
    };
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
    reply: {
      message: string;
    };
  };
  /** List the API keys of the workspace */
  'GET /v1/api-keys/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
    };
    body: undefined;
    form: undefined;
    reply: {
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      prev: string | null;
      data: ApiKey[];
    };
  };
  /** Create an API key; the reply shows it once */
  'POST /v1/api-keys/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: {
      name: string;
      /** admin: everything; member: everything but keys and the audit log; reader: reads what a member may read */
      role?: "admin" | "member" | "reader";
      /** Null: as the gateway is configured; 0: no limit */
      requests_per_second?: number | null;
      /** Null: as the gateway is configured; 0: no limit */
      jobs_per_day?: number | null;
    };
    form: undefined;
    reply: NewApiKey;
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
    body: {
      name?: string;
      /** admin: everything; member: everything but keys and the audit log; reader: reads what a member may read */
      role?: "admin" | "member" | "reader";
      /** Null: as the gateway is configured; 0: no limit */
      requests_per_second?: number | null;
      /** Null: as the gateway is configured; 0: no limit */
      jobs_per_day?: number | null;
    };
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
    reply: {
      message: string;
    };
  };
  /** Replace an API key by a new one with its name, role and limits; the reply shows it once */
  'POST /v1/api-keys/{keyId}/rotate/': {
    params: {
      keyId: string;
    };
    query: Record<never, never>;
    body: {
      overlap_seconds?: number;
    };
    form: undefined;
    reply: NewApiKey;
  };
  /** The secret that signs the webhooks of jobs */
  'GET /v1/signing-secret/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: {
      signing_secret: string;
    };
  };
  /** Replace the signing secret; the old one goes on signing beside it for 24 hours */
  'POST /v1/signing-secret/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: {
      signing_secret: string;
    };
  };
  /** List the access keys of the workspace */
  'GET /v1/access-keys/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
    };
    body: undefined;
    form: undefined;
    reply: AccessKey[] | {
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      prev: string | null;
      data: AccessKey[];
    };
  };
  /** Create an access key; the reply shows its secret once */
  'POST /v1/access-keys/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: {
      name: string;
      type?: "jwt";
      scopes: ("transcript.read" | "transcript.write" | "export.read" | "export.write")[];
    };
    form: undefined;
    reply: NewAccessKey;
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
  /** Replace the name and scopes of an access key */
  'PUT /v1/access-keys/{accessKey}/': {
    params: {
      accessKey: string;
    };
    query: Record<never, never>;
    body: {
      name: string;
      scopes: ("transcript.read" | "transcript.write" | "export.read" | "export.write")[];
      key?: unknown;
      time_created?: unknown;
      type?: "jwt";
    };
    form: undefined;
    reply: AccessKey;
  };
  /** Change the name or scopes of an access key */
  'PATCH /v1/access-keys/{accessKey}/': {
    params: {
      accessKey: string;
    };
    query: Record<never, never>;
    body: {
      name?: string;
      scopes?: ("transcript.read" | "transcript.write" | "export.read" | "export.write")[];
      key?: unknown;
      time_created?: unknown;
      type?: "jwt";
    };
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
    reply: {
      message: string;
    };
  };
  /** Who changed what, newest first */
  'GET /v1/audit-log/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
      resource?: string;
      resource_id?: string;
      actor_id?: string;
      time_start?: string;
      time_end?: string;
    };
    body: undefined;
    form: undefined;
    reply: {
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      prev: string | null;
      data: AuditEntry[];
    };
  };
  /** List the webhooks of the workspace */
  'GET /v1/webhooks/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
    };
    body: undefined;
    form: undefined;
    reply: ({
      id: string;
      event: "svc.transcript.on_created" | "svc.transcript.variant.version.on_created" | "svc.transcript.variant.version.paragraph.on_updated" | "svc.export.on_started" | "svc.export.on_completed" | "svc.export.artifact.on_created";
      url: string;
      hmac_secret: string;
      description: string;
      time_created: string;
      exp_backoff: boolean;
      retry_limit: number;
      enabled: boolean;
      disabled_reason: string | null;
      time_disabled: string | null;
    })[] | {
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      prev: string | null;
      data: ({
        id: string;
        event: "svc.transcript.on_created" | "svc.transcript.variant.version.on_created" | "svc.transcript.variant.version.paragraph.on_updated" | "svc.export.on_started" | "svc.export.on_completed" | "svc.export.artifact.on_created";
        url: string;
        hmac_secret: string;
        description: string;
        time_created: string;
        exp_backoff: boolean;
        retry_limit: number;
        enabled: boolean;
        disabled_reason: string | null;
        time_disabled: string | null;
      })[];
    };
  };
  /** Be told of an event by HTTP POST */
  'POST /v1/webhooks/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: {
      event: "svc.transcript.on_created" | "svc.transcript.variant.version.on_created" | "svc.transcript.variant.version.paragraph.on_updated" | "svc.export.on_started" | "svc.export.on_completed" | "svc.export.artifact.on_created";
      url: string;
      /** Signs what is sent */
      hmac_secret: string;
      description?: string;
      /** false: nothing is sent; true begins again */
      enabled?: boolean;
      id?: unknown;
      time_created?: unknown;
      exp_backoff?: unknown;
      retry_limit?: unknown;
      disabled_reason?: unknown;
      time_disabled?: unknown;
    };
    form: undefined;
    reply: {
      id: string;
      event: "svc.transcript.on_created" | "svc.transcript.variant.version.on_created" | "svc.transcript.variant.version.paragraph.on_updated" | "svc.export.on_started" | "svc.export.on_completed" | "svc.export.artifact.on_created";
      url: string;
      hmac_secret: string;
      description: string;
      time_created: string;
      exp_backoff: boolean;
      retry_limit: number;
      enabled: boolean;
      disabled_reason: string | null;
      time_disabled: string | null;
    };
  };
  /** Read a webhook */
  'GET /v1/webhooks/{webhookId}/': {
    params: {
      webhookId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: {
      id: string;
      event: "svc.transcript.on_created" | "svc.transcript.variant.version.on_created" | "svc.transcript.variant.version.paragraph.on_updated" | "svc.export.on_started" | "svc.export.on_completed" | "svc.export.artifact.on_created";
      url: string;
      hmac_secret: string;
      description: string;
      time_created: string;
      exp_backoff: boolean;
      retry_limit: number;
      enabled: boolean;
      disabled_reason: string | null;
      time_disabled: string | null;
    };
  };
  /** Replace a webhook */
  'PUT /v1/webhooks/{webhookId}/': {
    params: {
      webhookId: string;
    };
    query: Record<never, never>;
    body: {
      event: "svc.transcript.on_created" | "svc.transcript.variant.version.on_created" | "svc.transcript.variant.version.paragraph.on_updated" | "svc.export.on_started" | "svc.export.on_completed" | "svc.export.artifact.on_created";
      url: string;
      /** Signs what is sent */
      hmac_secret: string;
      description?: string;
      /** false: nothing is sent; true begins again */
      enabled?: boolean;
      id?: unknown;
      time_created?: unknown;
      exp_backoff?: unknown;
      retry_limit?: unknown;
      disabled_reason?: unknown;
      time_disabled?: unknown;
    };
    form: undefined;
    reply: {
      id: string;
      event: "svc.transcript.on_created" | "svc.transcript.variant.version.on_created" | "svc.transcript.variant.version.paragraph.on_updated" | "svc.export.on_started" | "svc.export.on_completed" | "svc.export.artifact.on_created";
      url: string;
      hmac_secret: string;
      description: string;
      time_created: string;
      exp_backoff: boolean;
      retry_limit: number;
      enabled: boolean;
      disabled_reason: string | null;
      time_disabled: string | null;
    };
  };
  /** Change what is sent */
  'PATCH /v1/webhooks/{webhookId}/': {
    params: {
      webhookId: string;
    };
    query: Record<never, never>;
    body: {
      event?: "svc.transcript.on_created" | "svc.transcript.variant.version.on_created" | "svc.transcript.variant.version.paragraph.on_updated" | "svc.export.on_started" | "svc.export.on_completed" | "svc.export.artifact.on_created";
      url?: string;
      /** Signs what is sent */
      hmac_secret?: string;
      description?: string;
      /** false: nothing is sent; true begins again */
      enabled?: boolean;
      id?: unknown;
      time_created?: unknown;
      exp_backoff?: unknown;
      retry_limit?: unknown;
      disabled_reason?: unknown;
      time_disabled?: unknown;
    };
    form: undefined;
    reply: {
      id: string;
      event: "svc.transcript.on_created" | "svc.transcript.variant.version.on_created" | "svc.transcript.variant.version.paragraph.on_updated" | "svc.export.on_started" | "svc.export.on_completed" | "svc.export.artifact.on_created";
      url: string;
      hmac_secret: string;
      description: string;
      time_created: string;
      exp_backoff: boolean;
      retry_limit: number;
      enabled: boolean;
      disabled_reason: string | null;
      time_disabled: string | null;
    };
  };
  /** Remove a webhook and its log; nothing more is sent */
  'DELETE /v1/webhooks/{webhookId}/': {
    params: {
      webhookId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: {
      message: string;
    };
  };
  /** Send the event svc.webhook.on_test; how it went is in the attempts */
  'POST /v1/webhooks/{webhookId}/test/': {
    params: {
      webhookId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: {
      message_id: string;
      event: string;
      state: "pending" | "delivered" | "failed" | "gone";
    };
  };
  /** Attempts to deliver, newest first */
  'GET /v1/webhooks/{webhookId}/attempts/': {
    params: {
      webhookId: string;
    };
    query: {
      offset?: number;
      limit?: number;
      message_id?: string;
    };
    body: undefined;
    form: undefined;
    reply: {
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      prev: string | null;
      data: ({
        id: string;
        message_id: string;
        event: string;
        attempt: number;
        time_started: string;
        duration: number;
        status: number | null;
        error: string | null;
        response: string | null;
        state: "pending" | "delivered" | "failed" | "gone";
        time_next: string | null;
      })[];
    };
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
    reply: {
      message_id: string;
      event: string;
      state: "pending" | "delivered" | "failed" | "gone";
    };
  };
  /** List batches, newest first */
  'GET /v1/batches/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
      parent?: string;
      search?: string;
    };
    body: undefined;
    form: undefined;
    reply: {
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      prev: string | null;
      data: ({
        id: string;
        name: string;
        description: string;
        parent: string | null;
        time_created: string;
        time_updated: string;
      })[];
    };
  };
  /** Create a batch; jobs are posted into it with `batch` */
  'POST /v1/batches/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: {
      name: string;
      description?: string;
      /** Id of the batch it lies in */
      parent?: string | null;
    };
    form: undefined;
    reply: {
      id: string;
      name: string;
      description: string;
      parent: string | null;
      time_created: string;
      time_updated: string;
    };
  };
  /** Make a batch of jobs from each file */
  'POST /v1/batches/files/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    form: {
      files: Blob[];
      parent_id?: string;
      parent_name?: string;
    };
    reply: ({
      file: string;
      success: boolean;
      error: string | null;
      batch: {
        id: string;
        name: string;
        description: string;
        parent: string | null;
        time_created: string;
        time_updated: string;
      } | null;
    })[];
  };
  /** Read a batch */
  'GET /v1/batches/{batchId}/': {
    params: {
      batchId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: {
      id: string;
      name: string;
      description: string;
      parent: string | null;
      time_created: string;
      time_updated: string;
    };
  };
  /** Remove a batch and those in it, and abort their jobs */
  'DELETE /v1/batches/{batchId}/': {
    params: {
      batchId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: {
      message: string;
    };
  };
  /** Jobs of a batch, newest first; those of the batches in it are not among them */
  'GET /v1/batches/{batchId}/jobs/': {
    params: {
      batchId: string;
    };
    query: {
      offset?: number;
      limit?: number;
      state?: "waiting" | "processing" | "completed" | "stopped" | "failed";
    };
    body: undefined;
    form: undefined;
    reply: {
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      prev: string | null;
      data: Job[];
    };
  };
  /** Sum up the diversity of a batch and of each batch in it */
  'POST /v1/batches/{batchId}/report/': {
    params: {
      batchId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: {
      id: string;
      title: string;
      type: "diversity";
      state: "waiting" | "processing" | "completed" | "failed";
      error_msg: string | null;
      time_created: string;
    };
  };
  /** List reports, newest first */
  'GET /v1/reports/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
    };
    body: undefined;
    form: undefined;
    reply: {
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      prev: string | null;
      data: ({
        id: string;
        title: string;
        type: "diversity";
        state: "waiting" | "processing" | "completed" | "failed";
        error_msg: string | null;
        time_created: string;
      })[];
    };
  };
  /** Read a report */
  'GET /v1/reports/{reportId}/': {
    params: {
      reportId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: {
      id: string;
      title: string;
      type: "diversity";
      state: "waiting" | "processing" | "completed" | "failed";
      error_msg: string | null;
      time_created: string;
    };
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
    };
    body: undefined;
    form: undefined;
    reply: {
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      prev: string | null;
      data: ({
        content: {
          batch_id: string;
          report_info: {
            gender_count: Record<string, number>;
            age_count: Record<string, number>;
            person_screen_time: Record<string, number>;
            gender_screen_time: Record<string, number>;
            age_screen_time: Record<string, number>;
            gender_speech_time: Record<string, number>;
            age_speech_time: Record<string, number>;
            name_to_speech_time: Record<string, number>;
          };
        };
      })[];
    };
  };
  /** Have files made of what is stored */
  'POST /v1/exports/': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: {
      strategy: "job_results_export" | "basic_dataset_export" | "coco_export" | "transcript_export";
      /** job_results_export: {job_id, format: json | csv | xlsx | zip} */
      config: Record<string, unknown>;
    };
    form: undefined;
    reply: {
      id: string;
      strategy: string;
      time_created: string;
      time_completed: string | null;
      state: "waiting" | "processing" | "completed" | "failed";
      progress: number;
      error_msg: string | null;
      config: Record<string, unknown>;
    };
  };
  /** List exports, newest first */
  'GET /v1/exports/': {
    params: Record<never, never>;
    query: {
      offset?: number;
      limit?: number;
    };
    body: undefined;
    form: undefined;
    reply: {
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      prev: string | null;
      data: ({
        id: string;
        strategy: string;
        time_created: string;
        time_completed: string | null;
        state: "waiting" | "processing" | "completed" | "failed";
        progress: number;
        error_msg: string | null;
        config: Record<string, unknown>;
      })[];
    };
  };
  /** Read an export */
  'GET /v1/exports/{exportId}/': {
    params: {
      exportId: string;
    };
    query: Record<never, never>;
    body: undefined;
    form: undefined;
    reply: {
      id: string;
      strategy: string;
      time_created: string;
      time_completed: string | null;
      state: "waiting" | "processing" | "completed" | "failed";
      progress: number;
      error_msg: string | null;
      config: Record<string, unknown>;
    };
  };
  /** Files of an export, kept for a week */
  'GET /v1/exports/{exportId}/artifacts/': {
    params: {
      exportId: string;
    };
    query: {
      offset?: number;
      limit?: number;
    };
    body: undefined;
    form: undefined;
    reply: {
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      prev: string | null;
      data: Artifact[];
    };
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
}
