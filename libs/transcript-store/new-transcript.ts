import { randomUUID } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import {
  AditError,
  isTerminal,
  SpeechMeta,
  TRANSCRIPT_LIMITS,
  type TranscriptRequest,
  type TranscriptVariantRequest,
} from '@adit/contracts';
import {
  isUuid,
  JobEntity,
  JobModuleEntity,
  JobSourceEntity,
  refuseBeyond,
  TranscriptEntity,
  TranscriptVariantEntity,
  TranscriptVersionEntity,
  type Beside,
} from '@adit/database';
import { OutboxRelay } from '@adit/outbox';
import { moduleSegments } from '@adit/presentation';
import { wordsOfText } from '@adit/transcripts';
import { raiseResourceEvents } from '@adit/webhooks';
import { noteSearchable } from '@adit/search';
import { Inject, Injectable } from '@nestjs/common';
import { IsNull, type EntityManager } from 'typeorm';
import { copyParagraphs, HeldBytes, insertParagraphs, jsonOf, type NewRow } from './paragraph-rows.js';
import { referToTranscript } from './present-transcript.js';
import { raiseVersionEvents } from './transcript-events.js';
import { SpeakersOf, type Spoken } from './speakers-of.js';
import { findTranscript, findVariant, findVersion, variantsOf } from './transcript-reader.js';
import { charge, transcriptQuota, type TranscriptBounds } from './transcript-quota.js';

const SPEECH = 'speech_recognition';
/** The types of segments that variants are made of, with what they are called. */
const VARIANTS = { speech: 'original', translation: 'translation' } as const;

interface NewVariant extends TranscriptBounds {
  id: string;
  /** Name of the key. */
  author: string;
  beside?: Beside;
}

interface NewTranscript extends NewVariant {
  /** Transcripts of the workspace. */
  most: number;
}

/** Segments of one source that become a variant. */
interface SpeechSegments {
  variantId: string;
  jobId: string;
  sourceIndex: number;
  type: string;
  held: HeldBytes;
}

/** Makes transcripts from the recognised speech of jobs, and variants of transcripts. */
@Injectable()
export class NewTranscripts {
  constructor(@Inject(OutboxRelay) private readonly outbox: OutboxRelay) {}

  /**
   * Makes a transcript of one source of a job that has ended, with its recognised paragraphs. A translation of the job becomes a
   * second variant. Throws VALIDATION when the job is unknown, was not asked for speech, or has several sources and none is named;
   * CONFLICT while it runs, when the workspace has `most` transcripts, or when a variant exceeds a quota; STORAGE_FULL.
   */
  create(
    workspaceId: string,
    request: TranscriptRequest,
    { id, author, most, beside, ...bounds }: NewTranscript,
  ): Promise<void> {
    return this.outbox.transaction(async (manager) => {
      await beside?.(manager);
      const job = await speechJob(manager, workspaceId, request.job_id);
      const source = await sourceOf(manager, job.id, request.source);
      await refuseBeyond(manager, {
        kind: 'transcripts',
        ownerId: workspaceId,
        most,
        rows: 'SELECT 1 FROM transcripts WHERE workspace_id = $1 AND time_deleted IS NULL',
        message: `A workspace has at most ${most} transcripts; delete one.`,
      });
      const tag = request.tag ?? job.tag;
      await manager.insert(TranscriptEntity, { id, workspaceId, jobId: job.id, tag, source: source.uri });
      const transcript = await findTranscript(manager, workspaceId, id);
      const created = { transcript: referToTranscript(transcript, job) };
      await raiseResourceEvents(manager, transcript, [
        { event: 'svc.transcript.on_created', data: created, jobId: job.id },
      ]);
      const quota = await transcriptQuota(manager, workspaceId, bounds);
      const spoken: Spoken[] = [];
      let bytes = 0;
      for (const [type, name] of Object.entries(VARIANTS)) {
        const variantId = randomUUID();
        const place = { variantId, jobId: job.id, sourceIndex: source.index, type };
        const held = HeldBytes.none(bounds.mostBytes, quota);
        const recognised = await writeRecognised(manager, { ...place, held }, spoken);
        if (recognised.paragraphs === 0 && type !== 'speech') continue;
        await addVariant(manager, transcript, { id: variantId, name, author, held, ...recognised });
        bytes += held.added;
      }
      // What was recognised is found in the transcript from now on.
      await noteSearchable(manager, [job.id], { again: true });
      await charge(manager, transcript, { bytes, bounds });
    });
  }

  /** Throws VALIDATION when nothing that translates is installed, CONFLICT for too many or too large ones, STORAGE_FULL, NOT_FOUND. */
  createVariant(
    workspaceId: string,
    transcriptId: string,
    { language, name = language, variant_id: from, mode }: TranscriptVariantRequest,
    { id, author, beside, ...bounds }: NewVariant,
  ): Promise<TranscriptVariantEntity> {
    return this.outbox.transaction(async (manager) => {
      await beside?.(manager);
      const transcript = await findTranscript(manager, workspaceId, transcriptId);
      const variants = await manager.find(TranscriptVariantEntity, variantsOf(transcript.id));
      const original = from === undefined ? variants[0]?.id : variants.find((each) => each.id === from)?.id;
      if (original === undefined) {
        throw wrong('/variant_id', 'unknown_variant', `There is no variant ${from ?? ''} of this transcript.`);
      }
      await refuseBeyond(manager, {
        kind: 'transcript-variants',
        ownerId: transcript.id,
        most: TRANSCRIPT_LIMITS.variants,
        rows: 'SELECT 1 FROM transcript_variants WHERE transcript_id = $1 AND time_deleted IS NULL',
        message: `A transcript has at most ${TRANSCRIPT_LIMITS.variants} variants; delete one.`,
      });
      const source = await findVariant(manager, transcript.id, original, 'pessimistic_write');
      if (mode === 'translate') {
        throw wrong(
          '/mode',
          'model_not_installed',
          `No model that translates from ${source.language ?? 'an unknown language'} to ${language} is installed. ` +
            'With `mode: "copy"` the variant begins with the text as it is; speech_recognition translates to English itself ' +
            '(`translation_language`).',
        );
      }
      const held = HeldBytes.none(bounds.mostBytes, await transcriptQuota(manager, workspaceId, bounds));
      await copyParagraphs(manager, held, {
        variantId: id,
        version: 1,
        where: 'variant_id = $4 AND to_version IS NULL',
        values: [source.id],
      });
      const { paragraphs } = await findVersion(manager, source);
      const made = await addVariant(manager, transcript, { id, name, language, author, held, paragraphs });
      await noteSearchable(manager, [transcript.jobId]);
      await charge(manager, transcript, { bytes: held.added, bounds });
      return made;
    });
  }
}

/** Locked, so that it is not deleted meanwhile. */
async function speechJob(manager: EntityManager, workspaceId: string, jobId: string): Promise<JobEntity> {
  const job = isUuid(jobId)
    ? await manager.findOne(JobEntity, {
        where: { id: jobId, workspaceId, timeDeleted: IsNull() },
        lock: { mode: 'pessimistic_read' },
      })
    : null;
  if (job === null) throw unknownJob(jobId);
  if (!(await manager.existsBy(JobModuleEntity, { jobId, moduleId: SPEECH }))) {
    throw wrong('/job_id', 'no_speech', `The job ${jobId} was not asked for ${SPEECH}.`);
  }
  if (!isTerminal(job.state)) {
    throw new AditError('CONFLICT', `The job ${jobId} is ${job.state}: its transcript can be made when it has ended.`);
  }
  return job;
}

async function sourceOf(manager: EntityManager, jobId: string, uri: string | undefined): Promise<JobSourceEntity> {
  const where = uri === undefined ? { jobId } : { jobId, uri };
  const found = await manager.find(JobSourceEntity, { where, order: { index: 'ASC' }, take: 2 });
  const [first] = found;
  if (first === undefined) throw wrong('/source', 'unknown_source', `The job has no source ${uri ?? ''}.`);
  if (uri === undefined && found.length > 1) {
    throw wrong('/source', 'required', 'The job has several sources: name one of them in `source`.');
  }
  return first;
}

/** `spoken` gets what is spoken, and says who speaks what is a translation. */
async function writeRecognised(
  manager: EntityManager,
  { variantId, jobId, sourceIndex, type, held }: SpeechSegments,
  spoken: Spoken[],
): Promise<{ paragraphs: number; language: string | null }> {
  let paragraphs = 0;
  let language: string | null = null;
  const speakers = type === 'speech' ? null : new SpeakersOf(spoken);
  for await (const recognised of moduleSegments(manager, { jobId, moduleId: SPEECH, sourceIndex, type })) {
    const rows: NewRow[] = [];
    for (const { timeStart, timeEnd, meta } of recognised) {
      const { text, speaker: said, confidence, words = [], ...written } = SpeechMeta.parse(meta);
      language ??= written.language;
      paragraphs += 1;
      const speaker = said ?? speakers?.during(timeStart, timeEnd) ?? null;
      if (speakers === null) spoken.push({ timeStart, timeEnd, speaker });
      rows.push({
        variantId,
        id: randomUUID(),
        fromVersion: 1,
        jobId,
        position: String(paragraphs),
        text,
        speaker,
        timeStart,
        timeEnd,
        words: jsonOf(wordsOfText({ text, words, time_start: timeStart, time_end: timeEnd }, confidence)),
      });
      await yieldToOthers();
    }
    if (paragraphs > TRANSCRIPT_LIMITS.paragraphs) {
      throw wrong('/job_id', 'too_long', `A transcript takes ${TRANSCRIPT_LIMITS.paragraphs} paragraphs.`);
    }
    await insertParagraphs(manager, held, rows);
  }
  return { paragraphs, language };
}

/** With its first version. */
async function addVariant(
  manager: EntityManager,
  transcript: TranscriptEntity,
  variant: { id: string; name: string; language: string | null; author: string; held: HeldBytes; paragraphs: number },
): Promise<TranscriptVariantEntity> {
  const { id, name, language, author, held, paragraphs } = variant;
  const { jobId } = transcript;
  const first = { latestVersion: 1, lastNumber: 1, bytes: held.bytes };
  // One behind the other, though of one transaction: the first is the original.
  const timeCreated = new Date();
  await manager.insert(TranscriptVariantEntity, {
    id,
    transcriptId: transcript.id,
    jobId,
    name,
    language,
    timeCreated,
    ...first,
  });
  await manager.insert(TranscriptVersionEntity, {
    variantId: id,
    version: 1,
    id: randomUUID(),
    jobId,
    paragraphs,
    restored: null,
    author,
  });
  const made = await manager.findOneByOrFail(TranscriptVariantEntity, { id });
  await raiseVersionEvents(manager, transcript, made, await findVersion(manager, made));
  return made;
}

function unknownJob(id: string): AditError {
  return wrong('/job_id', 'unknown_job', `There is no job ${id}.`);
}

function wrong(pointer: string, code: string, message: string): AditError {
  return new AditError('VALIDATION', message, { errors: [{ pointer, code, message }] });
}
