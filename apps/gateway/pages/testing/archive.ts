/** Jobs as the aggregator leaves them, for the specs of the console. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { PictureRef, VideoFacts } from '@adit/contracts';
import { columns, JobEntity, JobSourceEntity, SegmentEntity } from '@adit/database';
import { ModuleRegistry } from '@adit/module-kit';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { noteSearchable } from '@adit/search';
import { indexAll } from '@adit/search/testing';
import { sampleMedia } from '@adit/testing';
import type { World } from '../../contract/world.js';

export interface Found {
  type: string;
  moduleId: string;
  label: string;
  meta?: Record<string, unknown>;
  /** Seconds. */
  time?: number;
  picture?: PictureRef;
}

export const said = (text: string, time = 0): Found => ({
  ...{ type: 'speech', moduleId: 'speech_recognition', label: 'speech', time },
  meta: { text, language: 'en', speaker: null },
});
export const shown = (person: string, time: number, picture?: PictureRef): Found => ({
  ...{ type: 'face', moduleId: 'face_recognition', label: person, meta: { person }, time },
  ...(picture && { picture }),
});
export const named = (label: string, time: number): Found => ({
  ...{ type: 'lower_third', moduleId: 'lower_third_recognition', label, meta: { label }, time },
});

/** An hour at 25 frames a second. */
const FILM: VideoFacts = {
  ...{ kind: 'video', container: 'mp4', codec: 'h264', stream: 0, width: 1280, height: 720 },
  ...{ fps: { num: 25, den: 1 }, variableFrameRate: false, totalFrames: 90_000, duration: 3_600 },
  ...{ timeBase: { num: 1, den: 25 }, startPts: 0, startTimecode: null, rotation: 0 },
  ...{ interlaced: false, sampleAspectRatio: { num: 1, den: 1 }, bitDepth: 8, hdr: false, audioStreams: [] },
};

/** A photo in the object store. */
export async function storedPicture(world: World, path = sampleMedia().faces['audrey']): Promise<PictureRef> {
  const key = `pictures/${randomUUID()}.jpg`;
  await world.gateway.app.get<ObjectStore>(OBJECT_STORE).put(key, await readFile(String(path)));
  return { key, width: 320, height: 180 };
}

/** A completed job of a film called `name` in which this was found; it can be searched for. */
export async function archived(
  world: World,
  { name, tag = '', found }: { name: string; tag?: string; found: Found[] },
): Promise<string> {
  const jobId = await world.filmJob();
  const { db } = world.gateway;
  const segments = found.map(({ time = 0, meta = {}, picture = null, ...segment }, seq) =>
    columns<SegmentEntity>({
      ...{ jobId, seq, moduleSeq: seq, sourceIndex: 0, timeStart: time, timeEnd: time + 2, ...segment, meta },
      ...{ frameStart: Math.round(time * 25), frameEnd: Math.round(time * 25) + 49, confidence: 0.9, detections: [] },
      ...{ thumbnail: picture, keyFrame: null, identityCollection: null, identityNumber: null },
    }),
  );
  await db.manager.insert(SegmentEntity, segments);
  await db.manager.update(JobSourceEntity, { jobId }, { name, facts: FILM });
  const ended = { state: 'completed' as const, timeStarted: new Date(), timeCompleted: new Date() };
  await db.manager.update(JobEntity, { id: jobId }, { ...ended, tag, segmentCount: segments.length });
  await noteSearchable(db.manager, [jobId]);
  await indexAll(db, world.gateway.app.get(ModuleRegistry));
  return jobId;
}
