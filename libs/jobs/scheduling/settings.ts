import { LIFETIME_SECONDS, MAX_RETENTION_SECONDS, MIN_RETENTION_SECONDS } from '@adit/contracts';
import { MAX_ATTEMPTS } from '@adit/leases';
import { setting } from '@adit/runtime';
import { StreamSettings } from '@adit/streams';
import { z } from 'zod';

/** Seconds for which something is kept. */
const Retention = z.int().min(MIN_RETENTION_SECONDS).max(MAX_RETENTION_SECONDS);

/** Limits of work at the same time, and how long an attempt may take before it counts as lost. */
export const JobSettings = z.object({
  maxChunksInFlight: setting(
    'ADIT_MAX_CHUNKS_IN_FLIGHT',
    z.int().positive().optional(),
    'Chunks in flight over all jobs of the installation; one more for a workspace that has none. Default: two for each that live decoders and inference processes can work on at once, 8 at least.',
  ),
  chunksPerJob: setting(
    'ADIT_CHUNKS_PER_JOB',
    z.int().positive().optional(),
    'Chunks in flight of one job (its slots): what a long film may take from a photo. Default: three quarters of all.',
  ),
  activeJobsPerWorkspace: setting(
    'ADIT_ACTIVE_JOBS_PER_WORKSPACE',
    z.int().positive().optional(),
    'Jobs of one workspace that are worked on at the same time; the others wait. Default: 8, and more while these leave slots free.',
  ),
  streamsPerWorkspace: StreamSettings.shape.streamsPerWorkspace,
  sourcesAhead: setting(
    'ADIT_SOURCES_AHEAD',
    z.int().positive().default(2),
    'Films of one job that are fetched ahead of the one being decoded.',
  ),
  maxAttempts: setting(
    'ADIT_MAX_ATTEMPTS',
    z.int().positive().default(MAX_ATTEMPTS),
    'Attempts at a source, at a chunk’s decoding or at its analysis before it fails with a reason.',
  ),
  leaseSeconds: setting(
    'ADIT_LEASE_SECONDS',
    z.number().positive().default(30),
    'Seconds without a sign of life after which an attempt is taken for lost and dispatched again.',
  ),
  imagesPerChunk: setting(
    'ADIT_IMAGES_PER_CHUNK',
    z.int().positive().max(256).default(64),
    'Images dispatched together; more where a job would have more than 500 chunks of them.',
  ),
  eventHours: setting(
    'ADIT_EVENT_HOURS',
    z.number().positive().max(8760).default(72),
    'How long what happened in a workspace is kept for streams that resume (GET /v1/events/).',
  ),
  eventsKept: setting(
    'ADIT_EVENTS_KEPT',
    z.int().min(1_000).max(10_000_000).default(50_000),
    'Events that are kept of one workspace at the most; the oldest go first.',
  ),
  observationSeconds: setting(
    'ADIT_OBSERVATION_SECONDS',
    Retention.default(LIFETIME_SECONDS.observation),
    'Seconds that cached observations and facts of media are kept after their last use; a workspace can have a number of its own (PUT /v1/retention/), here and below.',
  ),
  artifactSeconds: setting(
    'ADIT_ARTIFACT_SECONDS',
    Retention.default(LIFETIME_SECONDS.artifact),
    'Seconds that files of jobs and exports are kept after they were made.',
  ),
  recordingSeconds: setting(
    'ADIT_RECORDING_SECONDS',
    Retention.default(LIFETIME_SECONDS.recording),
    'Seconds that the recording of a live stream is kept after the end of its job.',
  ),
  uploadSeconds: setting(
    'ADIT_UPLOAD_SECONDS',
    Retention.optional(),
    'Seconds that an uploaded file is kept after its upload. Default: for ever.',
  ),
  receiptSeconds: setting(
    'ADIT_RECEIPT_SECONDS',
    Retention.optional(),
    'Seconds that the receipt of an erasure is kept after its completion. Default: for ever.',
  ),
});
export type JobSettings = z.infer<typeof JobSettings>;

/** Base of links for `presentJob`; every app that presents jobs has this setting. */
export const publicUrl = setting(
  'ADIT_PUBLIC_URL',
  z.url({ protocol: /^https?$/ }).optional(),
  'What absolute links start with, e.g. https://adit.example.org. Default: the address the request came to; in webhooks links are relative then.',
);

/** Injection token of the process's JobSettings. */
export const JOB_SETTINGS = Symbol('JobSettings');
