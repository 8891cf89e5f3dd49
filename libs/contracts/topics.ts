import { z } from 'zod';
import { isKeyOf } from './values/lists.js';
import { ChunkUse, UnitOutcome } from './observations.js';

/**
 * Version of messages that this build reads. Raise it when a message means something else to readers of the former
 * version. A new field does not raise it, since older readers drop it. A message of a later version waits for a process
 * that understands it.
 */
export const MESSAGE_VERSION = 4;

/**
 * Version of messages that request the sources and chunks of a job with sound: readers of version 1 know of pictures
 * alone, those of 2 of no excerpts.
 */
export const AUDIO_MESSAGE_VERSION = 3;

/**
 * Version of job events for the webhooks of their workspace: readers of version 3 send each to the callback of its job.
 */
export const WORKSPACE_EVENT_MESSAGE_VERSION = 4;

/**
 * Envelope of every message. `id` names the fact, so a redelivery keeps it. Payloads hold references, never media.
 * During an upgrade processes of two builds read each other's messages, so schemas of messages and of stored JSON are
 * tolerant: unknown fields are dropped, and new ones are optional.
 */
export const Envelope = z.object({
  /** The first MESSAGE_VERSION that reads it as it is meant; left out for 1, since the first readers knew no other fields. */
  version: z.int().positive().optional(),
  id: z.string(),
  /** The job it is about, or the id of the other resource. */
  jobId: z.string(),
  /** W3C trace context of the request that caused it, or null. */
  traceparent: z.string().nullable(),
  attempt: z.int().positive(),
  occurredAt: z.string(),
  payload: z.unknown(),
});
export type Envelope = z.infer<typeof Envelope>;

/** Every topic on one page: who writes it, who reads it, what keys its partitions. */
export const TOPICS = {
  /** gateway → aggregator. Key: job. A job was posted or asked to retry. */
  'jobs.submitted': z.object({}),
  /** scheduler → decoder. Key: source. Fetch, digest and probe one source and plan its chunks. */
  'sources.requested': z.object({ sourceIndex: z.int() }),
  /** decoder → scheduler. Key: job. A source was opened or refused: its chunks wait for slots, or the job may have ended. */
  'sources.planned': z.object({ sourceIndex: z.int() }),
  /** scheduler → decoder. Key: source. Decode one chunk to the frame packs its missing analyses need. */
  'chunks.requested': z.object({ chunkId: z.string() }),
  /** decoder and inference → aggregator. Key: job. One analysis of one chunk ended, well or badly. */
  'chunks.analysed': z.object({
    chunkId: z.string(),
    analysisDigest: z.string(),
    /** Null when the analysis as a whole failed. */
    units: z.array(UnitOutcome).nullable(),
    error: z.string().nullable(),
    /** True when it fails every other chunk, too: a model has gone. The modules that need the analysis end with it. */
    everyChunk: z.boolean().optional(),
    /** Missing in those of decoders and earlier builds. */
    use: ChunkUse.optional(),
  }),
  /** gateway → decoder. Key: storage entry. An uploaded file's thumbnail is asked for; no job is concerned. */
  'thumbnails.requested': z.object({ entryId: z.int() }),
  /** gateway → decoder. Key: look. The picture of a look lies on the web: fetch it, then ask for the look. No job is concerned. */
  'pictures.requested': z.object({ lookId: z.string() }),
  /** gateway → decoder. Key: probe. A dry run waits to hear what its sources are; no job is concerned. */
  'probes.requested': z.object({ probeId: z.string() }),
  /** gateway, aggregator → aggregator. Key: batch. A batch was deleted: jobs of its tree are to be aborted, some by each message. */
  'batches.deleted': z.object({}),
  /** gateway, decoder, aggregator → notifier, gateway. Key: job, or the resource. A client-visible event. */
  'events.raised': z.object({ event: z.string(), data: z.record(z.string(), z.unknown()) }),
} as const satisfies Record<string, z.ZodType>;

/** decoder → inference-<family>. Key: chunk. One topic for each analysis, so that each can scale alone. */
export const AnalysisRequested = z.object({ chunkId: z.string(), analysisDigest: z.string() });
export type AnalysisRequested = z.infer<typeof AnalysisRequested>;

/** gateway, decoder → inference-<family>. Key: look. Somebody waits to hear what one picture shows; no job is concerned. */
export const OnlineInferenceRequested = z.object({ lookId: z.string() });
export type OnlineInferenceRequested = z.infer<typeof OnlineInferenceRequested>;

export type AnalysisTopic = `analyses.${string}.requested`;
export type OnlineInferenceTopic = `looks.${string}.requested`;
export type Topic = keyof typeof TOPICS | AnalysisTopic | OnlineInferenceTopic;
export type Payload<T extends Topic> = T extends keyof typeof TOPICS
  ? z.infer<(typeof TOPICS)[T]>
  : T extends OnlineInferenceTopic
    ? OnlineInferenceRequested
    : AnalysisRequested;

export function analysisTopic(analysis: string): AnalysisTopic {
  return `analyses.${analysis}.requested`;
}

export function onlineInferenceTopic(analysis: string): OnlineInferenceTopic {
  return `looks.${analysis}.requested`;
}

/** The schema of a topic's payload; throws a RangeError for a topic that is not on this page. */
export function payloadSchema(topic: string): z.ZodType {
  if (isKeyOf(TOPICS, topic)) return TOPICS[topic];
  if (/^analyses\.[a-z0-9-]+\.requested$/.test(topic)) return AnalysisRequested;
  if (/^looks\.[a-z0-9-]+\.requested$/.test(topic)) return OnlineInferenceRequested;
  throw new RangeError(`Unknown topic ${topic}.`);
}
