import { StandardArguments } from '@adit/contracts';
import { MediaEntity, SegmentEntity } from '@adit/database';
import { frameIndexKey } from '@adit/jobs';
import { FrameIndex } from '@adit/media';
import { defineModule, type FoldContext, type FoldStep, type ModuleDefinition } from '@adit/module-kit';
import { configureLogging } from '@adit/runtime';
import { filmFacts } from '@adit/testing';
import { afterEach, beforeAll, expect, describe, it } from '@jest/globals';
import { FoldingJobs } from '../testing/folding-jobs.js';

const TIMES = [0, 1.5, 3];
const INDEX = new FrameIndex({
  timeBase: { num: 1, den: 10 },
  pts: Float64Array.from([100, 101, 102, 120, 129]),
  keyFrames: Uint32Array.of(0),
  seekPts: Float64Array.of(100),
  seekDts: Float64Array.of(100),
  endPts: 130,
  hints: {
    ...{ colorMatrix: null, colorTransfer: null, colorPrimaries: null },
    ...{ pixelFormat: 'yuv420p', framesFlagged: false, timing: 'stated' },
  },
  seekTable: null,
});

/** A module that asks for the frames displayed at TIMES. */
function askingModule(id: string, media: ModuleDefinition['media']): ModuleDefinition {
  const found = ({ frameAt }: FoldContext): FoldStep<number>['segments'] =>
    TIMES.map((time) => {
      const frame = frameAt === undefined ? null : frameAt(time);
      return {
        ...{ sourceIndex: 0, frameStart: frame, frameEnd: frame, timeStart: time, timeEnd: time },
        ...{ type: 'unit', label: id, confidence: 1, meta: {}, detections: [], thumbnail: null, keyFrame: null },
      };
    });
  return defineModule({
    ...{ id, version: 1, args: StandardArguments, media },
    needs: () => [{ analysis: 'faces', args: {} }],
    open: () =>
      Promise.resolve({
        start: () => 0,
        fold: (state: number): FoldStep<number> => ({ state, segments: [] }),
        close: (_: number, context: FoldContext) => ({ segments: found(context), summaries: [] }),
      }),
  });
}

describe('frames for times of sound', () => {
  let jobs: FoldingJobs;
  beforeAll(() => configureLogging({ level: 'silent' }));
  afterEach(() => jobs.close());

  /** Returns the frames that each module gets at TIMES; the index is in the object store, or missing. */
  async function framesFound(index: 'stored' | 'gone' | 'unknown'): Promise<Record<string, (number | null)[]>> {
    jobs = await FoldingJobs.start([askingModule('listens', ['audio', 'video']), askingModule('looks', ['video'])]);
    const jobId = await jobs.submit(['storage://film']);
    await jobs.plan(jobId, { chunks: 1 });
    const { workspaceId } = jobs;
    const digest = 'd'.repeat(64);
    const indexKey = frameIndexKey(workspaceId, digest, 'folder');
    if (index === 'stored') await jobs.objects.put(indexKey, INDEX.encode());
    await jobs.db.manager.insert(MediaEntity, {
      ...{ workspaceId, digest, facts: filmFacts(), grid: [], timeExpires: new Date(Date.now() + 3_600_000) },
      ...{ generation: 'folder', indexKey: index === 'unknown' ? null : indexKey },
    });
    for (const id of await jobs.chunkIds(jobId)) await jobs.analysed(jobId, id, {});
    await jobs.advance(jobId);
    const segments = await jobs.db.manager.find(SegmentEntity, { where: { jobId }, order: { timeStart: 'ASC' } });
    const of = (module: string) => segments.filter(({ label }) => label === module).map(({ frameStart }) => frameStart);
    return { listens: of('listens'), looks: of('looks') };
  }

  it('come from the index of the film, for modules with audio', async () => {
    expect(await framesFound('stored')).toEqual({ listens: [0, 2, 4], looks: [null, null, null] });
  });

  it.each(['gone', 'unknown'] as const)('are computed from the frame rate where the index is %s', async (index) => {
    expect((await framesFound(index))['listens']).toEqual([null, null, null]);
  });
});
