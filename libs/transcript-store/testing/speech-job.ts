import { randomUUID } from 'node:crypto';
import type { SpeechMeta } from '@adit/contracts';
import { columns, JobEntity, JobModuleEntity, JobSourceEntity, SegmentEntity, WorkspaceEntity } from '@adit/database';
import type { EntityManager } from 'typeorm';

export interface SpokenText {
  text: string;
  start: number;
  end: number;
  speaker?: string | null;
  type?: string;
  source?: number;
  words?: SpeechMeta['words'];
}

export async function workspace(manager: EntityManager): Promise<string> {
  const id = randomUUID();
  await manager.insert(WorkspaceEntity, { id, name: 'newsroom', signingSecret: 's' });
  return id;
}

/** A completed job of speech_recognition with its segments, as the aggregator leaves it. Returns its id. */
export async function insertSpeechJob(
  manager: EntityManager,
  workspaceId: string,
  spoken: SpokenText[],
  sources = ['storage://talk'],
): Promise<string> {
  const jobId = randomUUID();
  await manager.insert(
    JobEntity,
    columns<JobEntity>({
      id: jobId,
      workspaceId,
      tag: 'evening',
      state: 'completed',
      priority: 5,
      rank: 4,
      mediaType: 'audio',
      progress: 1,
      segmentCount: spoken.length,
      timeStarted: new Date(),
      timeCompleted: new Date(),
    }),
  );
  for (const [index, uri] of sources.entries()) {
    await manager.insert(JobSourceEntity, columns<JobSourceEntity>({ jobId, index, uri, state: 'planned' }));
  }
  await manager.insert(
    JobModuleEntity,
    columns<JobModuleEntity>({
      jobId,
      moduleId: 'speech_recognition',
      position: 0,
      postedAs: 'speech_recognition',
      args: { language: 'auto' },
      models: [],
      analyses: {},
      state: 'completed',
      progress: 1,
      segmentCount: spoken.length,
    }),
  );
  for (let at = 0; at < spoken.length; at += 500) {
    await manager.insert(
      SegmentEntity,
      spoken.slice(at, at + 500).map((each, index) => segment(jobId, at + index, each)),
    );
  }
  return jobId;
}

function segment(
  jobId: string,
  seq: number,
  { text, start, end, speaker = null, type = 'speech', source = 0, words }: SpokenText,
) {
  const language = type === 'translation' ? 'en' : 'de';
  return columns<SegmentEntity>({
    jobId,
    seq,
    moduleId: 'speech_recognition',
    moduleSeq: seq,
    sourceIndex: source,
    frameStart: null,
    frameEnd: null,
    timeStart: start,
    timeEnd: end,
    type,
    label: text.slice(0, 100),
    confidence: 0.9,
    meta: { text, language, speaker, confidence: 0.9, ...(words && { words }) },
    detections: [],
    thumbnail: null,
    keyFrame: null,
    identityCollection: null,
    identityNumber: null,
  });
}
