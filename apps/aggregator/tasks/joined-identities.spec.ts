import { text } from 'node:stream/consumers';
import { StandardArguments, type Json } from '@adit/contracts';
import { IdentityEntity, JobEntity, SegmentEntity, SummaryEntity } from '@adit/database';
import { defineModule, type IdentityClaim, type ModuleDefinition } from '@adit/module-kit';
import { configureLogging } from '@adit/runtime';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { FoldingJobs } from '../testing/folding-jobs.js';

interface Seen {
  frames: [number, number];
  face: number[];
}

const [ANN, EVE, BOB] = [
  [1, 0, 0, 0],
  [0, 1, 0, 0],
  [0, 0, 1, 0],
];
/** A face as far from ANN as from EVE, and near both. */
const BETWEEN = [Math.SQRT1_2, Math.SQRT1_2, 0, 0];

const claimOf = (embedding: number[]): IdentityClaim => ({ collection: 'unknowns', embedding, maxDistance: 1 });

/**
 * Module that finds one unknown face in each unit, as its observations say, and at the end the time that each is
 * shown.
 */
function facesAndTimes(people: [face: number[], seconds: number][]): ModuleDefinition {
  return defineModule({
    id: 'people',
    version: 1,
    args: StandardArguments,
    media: ['video'],
    needs: () => [{ analysis: 'faces', args: {} }],
    open: () =>
      Promise.resolve({
        start: (): Json => 0,
        fold: (state: Json, { unit: { sourceIndex }, observations }) => {
          const { frames, face } = observations['faces'] as unknown as Seen;
          const [frameStart, frameEnd] = frames;
          const place = { sourceIndex, frameStart, frameEnd, timeStart: frameStart / 25, timeEnd: frameEnd / 25 };
          const said = { type: 'face', label: 'unknown', confidence: 0, meta: { person: 'unknown' }, detections: [] };
          return { state, segments: [{ ...place, ...said, thumbnail: null, keyFrame: null, claim: claimOf(face) }] };
        },
        close: () => {
          const groups = people.map(([face, value]) => ({ claim: claimOf(face), value }));
          return { segments: [], summaries: [{ type: 'person_screen_time', meta: { Zoe: 1 }, groups }] };
        },
      }),
  });
}

describe('clusters of a job that came closer', () => {
  let jobs: FoldingJobs;
  beforeAll(() => configureLogging({ level: 'silent' }));
  afterEach(() => jobs.close());

  /** Returns the results that readers see of a film that has ended. */
  async function toldOf(faces: Seen[], people: [face: number[], seconds: number][]) {
    jobs = await FoldingJobs.start([facesAndTimes(people)]);
    const jobId = await jobs.submit(['storage://film']);
    await jobs.plan(jobId, { chunks: faces.length });
    const ids = await jobs.chunkIds(jobId);
    for (const [at, seen] of faces.entries()) {
      await jobs.analysed(jobId, ids[at]!, seen);
      await jobs.advance(jobId);
    }
    const { manager } = jobs.db;
    const job = await manager.findOneOrFail(JobEntity, {
      where: { id: jobId },
      select: { state: true, summary: true },
    });
    const segments = await manager.find(SegmentEntity, { where: { jobId }, order: { seq: 'ASC' } });
    const [sum] = await manager.findBy(SummaryEntity, { jobId });
    const clusters = await manager.find(IdentityEntity, { where: { jobId }, order: { number: 'ASC' } });
    const texts: string[] = [];
    for await (const { key } of jobs.objects.list(`jobs/${jobId}/artifacts/`)) {
      texts.push(await text(await jobs.objects.get(key)));
    }
    return {
      state: job.state,
      numbers: segments.map(({ identityNumber }) => identityNumber),
      listed: job.summary?.flatMap(({ items }) => items.map(({ label }) => label)),
      times: sum?.meta,
      members: clusters.map(({ number, members }) => [number, members]),
      inFiles: [...new Set(texts.flatMap((file) => file.match(/Unknown #\d+/g) ?? []))].sort(),
    };
  }

  const views: Seen[] = [
    { frames: [0, 10], face: ANN },
    { frames: [20, 30], face: EVE },
    { frames: [40, 50], face: BOB },
    { frames: [60, 70], face: BETWEEN },
    { frames: [80, 90], face: BETWEEN },
  ];

  it('are one person in segments, summaries and files, and the others are renumbered without a gap', async () => {
    const told = await toldOf(views, [
      [BETWEEN, 40],
      [BOB, 5],
    ]);
    expect(told).toEqual({
      state: 'completed',
      numbers: [1, 1, 2, 1, 1],
      listed: ['Unknown #1', 'Unknown #2'],
      times: { Zoe: 1, 'Unknown #1': 40, 'Unknown #2': 5 },
      members: [
        [1, 5],
        [2, 2],
      ],
      inFiles: ['Unknown #1', 'Unknown #2'],
    });
  });

  it('stay two people where both are shown at one time, or one summary names both', async () => {
    const beside: Seen[] = [...views, { frames: [85, 95], face: EVE }];
    expect(await toldOf(beside, [[BETWEEN, 40]])).toMatchObject({ numbers: [1, 2, 3, 1, 1, 2] });
    await jobs.close();
    const people: [number[], number][] = [
      [BETWEEN, 40],
      [EVE, 5],
    ];
    expect(await toldOf(views, people)).toMatchObject({
      numbers: [1, 2, 3, 1, 1],
      times: { Zoe: 1, 'Unknown #1': 40, 'Unknown #2': 5 },
    });
  });
});
