/** @needs ffmpeg, weights, build */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SummarizedResultPage, type DetailedResult, type Job } from '@adit/contracts';
import { pdfDocument, sampleMedia, type PlacedPicture } from '@adit/testing';
import type { Order } from './api.js';
import { EngineUnderTest } from './engine-under-test.js';
import { mediaRoots } from './films.js';

const { groups, faces } = sampleMedia();
let engine: EngineUnderTest;
let folder: string;
let dossier: string;
let empty: string;

/** A photo as an archive prints it: on A4, 400 points wide. */
async function printed(path: string): Promise<PlacedPicture> {
  return { jpeg: await readFile(path), left: 60, bottom: 300, width: 400 };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-documents-'));
  engine = await EngineUnderTest.start({ localRoots: [folder, ...(await mediaRoots())] });
  dossier = join(folder, 'dossier.pdf');
  empty = join(folder, 'empty.pdf');
  const [group, alone] = await Promise.all([printed(groups['sample1']!), printed(faces['SeanConnery']!)]);
  await writeFile(dossier, pdfDocument([{}, { pictures: [group] }, { pictures: [alone] }, { pictures: [alone] }]));
  await writeFile(empty, pdfDocument([{}]));
});
afterAll(async () => {
  await engine?.close();
  await rm(folder, { recursive: true, force: true });
});

describe('a PDF document', () => {
  const ended = async (order: Order) => engine.api.ended((await engine.api.post(order)).id);
  let job: Job;
  let found: DetailedResult[];
  beforeAll(async () => {
    job = await engine.api.mine({
      sources: [dossier, empty],
      modules: {
        face_recognition: { cluster_unknowns: true },
        gender_neutrality_estimation: {},
        advanced_diversity_analysis: {},
      },
    });
    found = await engine.api.segments(job.id);
  });

  it('is mined page by page, as pictures are', () => {
    expect(job).toMatchObject({ state: 'completed', media_type: 'pdf', errors: [] });
    const seen = found.filter(({ module }) => module === 'face_recognition');
    expect(new Set(seen.map(({ frame_start: page }) => page))).toEqual(new Set([1, 2, 3]));
    for (const { frame_start: start, frame_end: end, detections, ...rest } of seen) {
      expect(rest).toMatchObject({ media_type: 'image', source: dossier, time_start: 0, tc_start: '00:00:00:00' });
      expect(end).toBe(start);
      expect(detections.map(({ frame_index: page }) => page)).toEqual([start]);
    }
  });

  it('shows the same person on two pages as one', () => {
    const on = (page: number) =>
      found.filter(({ module, frame_start: at }) => module === 'face_recognition' && at === page);
    const [first, second] = [on(2), on(3)].map((segments) => segments.map(({ meta }) => meta['person']));
    expect(first).toHaveLength(1);
    expect(second).toEqual(first);
    expect(new Set(on(1).map(({ meta }) => meta['person'])).size).toBe(on(1).length);
  });

  it('is one source to sums and to what is said of a whole', async () => {
    const neutrality = found.filter(({ module }) => module === 'gender_neutrality_estimation');
    expect(neutrality).toMatchObject([{ source: dossier, frame_start: 0, frame_end: 3 }]);
    const { data } = await engine.api.call(SummarizedResultPage, 'GET', `/jobs/${job.id}/summarized-results/`);
    const counts = data.filter(({ type }) => type === 'gender_count');
    expect(counts).toHaveLength(1);
    const faces = found.filter(({ module }) => module === 'face_recognition').length;
    expect(Object.values(counts[0]!.meta).reduce((sum, count) => sum + count, 0)).toBe(faces);
  });

  it('is looked at once: another question decodes no page again', async () => {
    const decoded = () => engine.api.metric('adit_decode_seconds_count');
    const before = await decoded();
    const again = await engine.api.mine({
      sources: [dossier],
      modules: { face_recognition: { range: { frame_start: 2, frame_end: 2 } } },
    });
    const pages = (await engine.api.segments(again.id)).map(({ frame_start: page }) => page);
    expect(pages).toEqual([2]);
    expect(await decoded()).toBe(before);
  });

  it('is refused when no page lies in the range, and beside pictures', async () => {
    const outside = await ended({
      sources: [dossier],
      modules: { face_recognition: { range: { frame_start: 9 } } },
    });
    expect(outside.state).toBe('failed');
    expect(outside.errors.join()).toContain('does not lie within the pages of the document');
    const mixed = await ended({ sources: [dossier, groups['sample1']!], modules: { face_recognition: {} } });
    expect(mixed).toMatchObject({ state: 'failed' });
    expect(mixed.errors.join()).toContain('Images, PDF documents and video are mixed');
  });
});
