import {
  isoTime,
  type Transcript,
  type TranscriptParagraph,
  type TranscriptVariant,
  type TranscriptVersion,
} from '@adit/contracts';
import type {
  JobEntity,
  TranscriptEntity,
  TranscriptParagraphEntity,
  TranscriptVariantEntity,
  TranscriptVersionEntity,
} from '@adit/database';
import { presentTranscriptJob, type ShownRow } from '@adit/presentation';

export function presentTranscript(transcript: TranscriptEntity, job: ShownRow, baseUrl: string): Transcript {
  return { ...withoutJob(transcript), job: presentTranscriptJob(job, baseUrl) };
}

/** For a message: of its job what says which one it is. */
export function referToTranscript(
  transcript: TranscriptEntity,
  { id, mediaType }: Pick<JobEntity, 'id' | 'mediaType'>,
) {
  return { ...withoutJob(transcript), job: { id, media_type: mediaType, is_synced_to_kg: false } };
}

function withoutJob({ id, tag, source, timeCreated, timeUpdated }: TranscriptEntity): Omit<Transcript, 'job'> {
  return { id, tag, source, time_created: isoTime(timeCreated), time_updated: isoTime(timeUpdated) };
}

export function presentVariant(variant: TranscriptVariantEntity): TranscriptVariant {
  const { id, name, language, latestVersion, timeCreated, timeUpdated } = variant;
  return {
    id,
    name,
    language,
    latest_version: latestVersion,
    time_created: isoTime(timeCreated),
    time_updated: isoTime(timeUpdated),
  };
}

export function presentVersion(row: TranscriptVersionEntity): TranscriptVersion {
  const { id, version, timeCreated, paragraphs, author, restored } = row;
  return {
    id,
    version,
    time_created: isoTime(timeCreated),
    paragraph_count: paragraphs,
    author,
    restored_version: restored,
  };
}

/** Properties of a paragraph that do not depend on the others of its version. */
type ParagraphAlone = Omit<TranscriptParagraph, 'index' | 'words'>;

export function presentAlone(row: Omit<TranscriptParagraphEntity, 'words'>): ParagraphAlone {
  const { id, fromVersion, text, speaker, timeStart, timeEnd } = row;
  return { id, revision: fromVersion, text, speaker, time_start: timeStart, time_end: timeEnd };
}

/** @param index its place in the version, from 0. */
export function presentParagraph(row: TranscriptParagraphEntity, index: number): TranscriptParagraph {
  const { id, revision, ...rest } = presentAlone(row);
  return { id, index, revision, ...rest, words: row.words };
}
