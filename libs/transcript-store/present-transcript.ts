import {
  isoTime,
  type Transcript,
  type TranscriptParagraph,
  type TranscriptVariant,
  type TranscriptVersion,
} from '@adit/contracts';
import type {
  TranscriptEntity,
  TranscriptParagraphEntity,
  TranscriptVariantEntity,
  TranscriptVersionEntity,
} from '@adit/database';
import { presentJob, type ShownRow } from '@adit/presentation';

/** With its job as lists show it, and without its webhook: tokens of access keys read transcripts too. */
export function presentTranscript(transcript: TranscriptEntity, job: ShownRow, baseUrl: string): Transcript {
  const { id, tag, source, timeCreated, timeUpdated } = transcript;
  return {
    id,
    tag,
    job: { ...presentJob(job, job.modules, baseUrl), webhook: null, is_synced_to_kg: false },
    source,
    time_created: isoTime(timeCreated),
    time_updated: isoTime(timeUpdated),
  };
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

/** What of a paragraph does not depend on the others of its version. */
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
