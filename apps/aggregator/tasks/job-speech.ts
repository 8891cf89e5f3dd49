import type { PersonShown } from '@adit/contracts';
import { moduleSegments } from '@adit/presentation';
import type { EntityManager } from 'typeorm';
import type { BatchTotal } from './diversity.js';
import { SpeechClock, type Caption, type Span } from './speech-times.js';

interface FilmOfBatch {
  batchId: string;
  jobId: string;
  sourceIndex: number;
  people: PersonShown[];
}

/**
 * Yields the speech in the films of batches by likely speaker, a film at a time, of jobs with speech_recognition and
 * advanced_diversity_analysis; lower_third_recognition, if there, names people.
 */
export async function* jobSpeechTotals(manager: EntityManager, batchIds: string[]): AsyncGenerator<BatchTotal[]> {
  let after = { jobId: '00000000-0000-0000-0000-000000000000', seq: -1 };
  for (;;) {
    const [film]: (FilmOfBatch & { seq: number })[] = await manager.query(
      `SELECT j.batch_id AS "batchId", s.job_id AS "jobId", s.source_index AS "sourceIndex", s.seq, s.people
         FROM jobs j JOIN summaries s ON s.job_id = j.id AND s.people IS NOT NULL
        WHERE j.batch_id = ANY($1) AND j.time_deleted IS NULL AND (s.job_id, s.seq) > ($2, $3)
        ORDER BY s.job_id, s.seq LIMIT 1`,
      [batchIds, after.jobId, after.seq],
    );
    if (film === undefined) return;
    after = film;
    yield await totalsOf(manager, film);
  }
}

async function totalsOf(
  manager: EntityManager,
  { batchId, jobId, sourceIndex, people }: FilmOfBatch,
): Promise<BatchTotal[]> {
  const clock = new SpeechClock(people);
  const of = (moduleId: string, type: string) => moduleSegments(manager, { jobId, moduleId, sourceIndex, type });
  for await (const page of of('speech_recognition', 'speech')) {
    for (const { meta, ...whole } of page) for (const span of spoken(meta['words'], whole)) clock.addSpeech(span);
  }
  const captions: Caption[] = [];
  for await (const page of of('lower_third_recognition', 'lower_third')) {
    for (const { meta, timeStart, timeEnd } of page) {
      const name = meta['label'];
      if (typeof name === 'string') captions.push({ name, start: timeStart, end: timeEnd });
    }
  }
  const { gender, age, name } = clock.times(captions);
  const rows = (type: string, totals: Record<string, number>) =>
    Object.entries(totals).map(([category, value]) => ({
      batchId,
      type,
      category,
      value: Math.round(value * 1000) / 1000,
    }));
  return [...rows('gender_speech_time', gender), ...rows('age_speech_time', age), ...rows('name_to_speech_time', name)];
}

/** Words of a paragraph; all of it where they are not known. */
function spoken(words: unknown, whole: { timeStart: number; timeEnd: number }): Span[] {
  const spans = Array.isArray(words) ? words.map(spanOf).filter((span) => span !== null) : [];
  return spans.length > 0 ? spans : [{ start: whole.timeStart, end: whole.timeEnd }];
}

function spanOf(word: unknown): Span | null {
  if (typeof word !== 'object' || word === null || !('time_start' in word) || !('time_end' in word)) return null;
  const { time_start: start, time_end: end } = word;
  return typeof start === 'number' && typeof end === 'number' ? { start, end } : null;
}
