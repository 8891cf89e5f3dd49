import { DatasetSettings } from '@adit/datasets';
import { EncryptionSettings } from '@adit/encryption';
import { IndexSettings } from '@adit/indexes';
import { FrameRate, FRAMES_PER_SECOND } from '@adit/inference';
import { InferenceConfig } from '@adit/inference-service';
import { publicUrl } from '@adit/jobs';
import { SourceSettings } from '@adit/media';
import { setting } from '@adit/runtime';
import { StorageSettings } from '@adit/storage';
import { RecordingSettings, RotationSettings } from '@adit/streams';
import { ReceiverSettings } from '@adit/webhooks';
import { z } from 'zod';
import { SignInSettings } from './auth/sign-in-settings.js';
import { SyncedModelsSettings } from './synced-settings.js';
import { TlsSettings } from './http/server/tls.js';

/** Settings of the gateway, beside those of every process. */
export const GatewayConfig = z.object({
  port: setting('PORT', z.int().min(0).max(65535).default(8080), 'TCP port of the API; 0 takes any free one.'),
  host: setting(
    'ADIT_HOST',
    z.string().min(1).default('127.0.0.1'),
    'Address the API listens on. The default is this machine only, because a fresh installation has one key and no TLS; containers set 0.0.0.0.',
  ),
  ...TlsSettings.shape,
  apiKey: setting(
    'ADIT_API_KEY',
    z.string().min(16).max(256).regex(/^\S+$/).optional(),
    'The first API key. Without it one is made at the first start and printed once.',
    { secret: true },
  ),
  logRequests: setting(
    'ADIT_LOG_REQUESTS',
    z.boolean().default(false),
    'Write a log line for each request: method, path without its query, status, milliseconds. In a terminal `adit start` does so unless this is false.',
  ),
  publicUrl,
  trustProxy: setting(
    'ADIT_TRUST_PROXY',
    z.array(z.string()).default([]),
    'Addresses or networks of reverse proxies whose X-Forwarded-Proto and X-Forwarded-Host are believed.',
  ),
  corsOrigins: setting(
    'ADIT_CORS_ORIGINS',
    z
      .array(z.string().regex(/^(\*|https?:\/\/[^/\s]+)$/, 'an origin is written https://host or https://host:port'))
      .default([]),
    'Origins whose pages may use the API from a browser, such as https://newsroom.example.org; * is all of them. The default is none.',
  ),
  console: setting(
    'ADIT_CONSOLE',
    z.boolean().default(true),
    'Serve the console, the pages for people, at `/console`. Off, there is nothing at that address; the API stays as it is.',
  ),
  editorFrameAncestors: setting(
    'ADIT_EDITOR_FRAME_ANCESTORS',
    z
      .array(
        z
          .string()
          .regex(
            /^https?:\/\/(\*\.)?[A-Za-z0-9.-]+(:(\d+|\*))?$/,
            'a host is written https://host, https://host:port or https://*.domain',
          ),
      )
      .default([]),
    'Hosts whose pages may show the transcript editor in a frame, such as https://newsroom.example.org. The default is none.',
  ),
  ...SignInSettings.shape,
  ...SourceSettings.shape,
  ...EncryptionSettings.shape,
  ...RecordingSettings.shape,
  ...RotationSettings.shape,
  ...ReceiverSettings.shape,
  maxUploadBytes: setting(
    'ADIT_MAX_UPLOAD_BYTES',
    z
      .int()
      .positive()
      .default(50 * 1024 ** 3),
    'Bytes of one uploaded file; a larger one is refused.',
  ),
  maxModelBytes: setting(
    'ADIT_MAX_MODEL_BYTES',
    z
      .int()
      .positive()
      .default(2 * 1024 ** 3),
    'Bytes of one model that POST /v1/models/ takes, packed and unpacked; it lies in the temporary folder while it is checked.',
  ),
  ...SyncedModelsSettings.shape,
  ...StorageSettings.shape,
  ...DatasetSettings.shape,
  ...IndexSettings.shape,
  maxDictionaries: setting(
    'ADIT_MAX_DICTIONARIES',
    z.int().positive().max(1_000_000).default(1_000),
    'Dictionaries that one workspace may have of its own.',
  ),
  maxTranscripts: setting(
    'ADIT_MAX_TRANSCRIPTS',
    z.int().positive().max(10_000_000).default(10_000),
    'Transcripts that one workspace may have.',
  ),
  maxTranscriptBytes: setting(
    'ADIT_MAX_TRANSCRIPT_BYTES',
    z
      .int()
      .positive()
      .default(256 * 1024 ** 2),
    'Bytes that the paragraphs of all versions of one variant of a transcript may hold, words with their times included.',
  ),
  transcriptBytesPerWorkspace: setting(
    'ADIT_TRANSCRIPT_BYTES_PER_WORKSPACE',
    z
      .int()
      .positive()
      .default(64 * 1024 ** 3),
    'Bytes that all transcripts of one workspace may hold together, in all variants and versions; they count as files of it do, too.',
  ),
  maxModels: setting(
    'ADIT_MAX_MODELS',
    z.int().positive().max(100_000).default(500),
    'Models that one workspace may have of its own, trained ones and those to come of trainings under way included.',
  ),
  maxOpenTrainings: setting(
    'ADIT_MAX_OPEN_TRAININGS',
    z.int().positive().max(10_000).default(20),
    'Trainings of one workspace that have not ended.',
  ),
  uploadIdleSeconds: setting(
    'ADIT_UPLOAD_IDLE_SECONDS',
    z.number().min(1).max(86_400).default(120),
    'Time an upload may be silent before its connection is closed; other requests have 30 s. In the long run a body has to bring 1 KiB a second.',
  ),
  uploadKeepHours: setting(
    'ADIT_UPLOAD_KEEP_HOURS',
    z
      .int()
      .positive()
      .max(24 * 365)
      .default(24 * 7),
    'Time an unfinished resumable upload is kept after its last byte.',
  ),
  maxDictionaryBytes: setting(
    'ADIT_MAX_DICTIONARY_BYTES',
    z
      .int()
      .positive()
      .max(256 * 1024 ** 2)
      .default(16 * 1024 ** 2),
    'Bytes of one dictionary; a larger one is refused.',
  ),
  maxBodyBytes: setting(
    'ADIT_MAX_BODY_BYTES',
    z
      .int()
      .positive()
      .default(8 * 1024 ** 2),
    'Bytes of one JSON request; a larger one is refused.',
  ),
  framesPerSecond: setting(
    'ADIT_FRAMES_PER_SECOND',
    FrameRate.optional(),
    `Frames of each second of a film that new jobs look at. Default: ${FRAMES_PER_SECOND}; 1 for landmarks. What is known of a film at another rate is looked at again.`,
  ),
  float16Families: InferenceConfig.shape.float16Families,
  requestsPerSecond: setting(
    'ADIT_REQUESTS_PER_SECOND',
    z.int().min(0).max(1_000_000).default(0),
    'Requests a second that one key may send to one gateway, ten seconds of them at once; a key can have a number of its own. Tokens of an access key are counted by their subject, else by address. 0 is no limit.',
  ),
  onlineInferenceConcurrency: setting(
    'ADIT_ONLINE_INFERENCE_CONCURRENCY',
    z.int().positive().max(1024).default(8),
    'Online inference requests (faces, predictions) that one key may have under way at one gateway.',
    { former: 'ADIT_LOOKS_AT_ONCE' },
  ),
  eventStreams: setting(
    'ADIT_EVENT_STREAMS',
    z.int().positive().max(10_000).default(100),
    'Event streams, of jobs and of all of it, that one workspace may follow through one gateway at the same time.',
  ),
  failedLoginsPerMinute: setting(
    'ADIT_FAILED_LOGINS_PER_MINUTE',
    z.int().min(0).max(100_000).default(60),
    'Wrong credentials that one address (of IPv6 a /64) may send to one gateway in a minute before it has to wait. 0 is no limit. Behind a proxy set ADIT_TRUST_PROXY, or all clients are one address.',
  ),
  refusedBytesPerMinute: setting(
    'ADIT_REFUSED_BYTES_PER_MINUTE',
    z
      .int()
      .min(0)
      .default(64 * 1024 ** 2),
    'Bytes of large requests that are wrong which one key, or one subject (else address) with tokens of an access key, may send to one gateway in a minute, uploads to the storage aside; beyond, its large requests answer 429 unread, four a second. 0 is no limit.',
  ),
  jobsPerDay: setting(
    'ADIT_JOBS_PER_DAY',
    z.int().min(0).max(1_000_000_000).default(0),
    'Jobs that one key may post to one gateway in a day; a key can have a number of its own. 0 is no limit.',
  ),
  jobTtlSeconds: setting(
    'ADIT_JOB_TTL_SECONDS',
    z
      .int()
      .positive()
      .max(2 ** 31 - 1)
      .optional(),
    'Seconds after its end at which a job is deleted that is posted without a `ttl` from now on; a job with one keeps its own. Default: never.',
  ),
  auditDays: setting(
    'ADIT_AUDIT_DAYS',
    z.int().min(1).max(36_500).default(365),
    'Days for which the audit log keeps who changed what; a workspace may keep its lines for longer.',
  ),
});
export type GatewayConfig = z.infer<typeof GatewayConfig>;

/** Injection token of the GatewayConfig. */
export const GATEWAY_CONFIG = Symbol('GatewayConfig');
