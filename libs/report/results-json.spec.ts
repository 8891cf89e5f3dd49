import type { DetailedResult } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import { text } from 'node:stream/consumers';
import { writeResultsJson } from './results-json.js';
import { sampleJob } from './sample-input.js';

async function* results(count: number): AsyncGenerator<DetailedResult> {
  for (let index = 0; index < count; index += 1) {
    yield {
      media_type: 'video',
      frame_start: index,
      frame_end: index,
      time_start: index,
      time_end: index,
      tc_start: '00:00:00:00',
      tc_end: '00:00:00:00',
      source: 'a "quoted" source',
      source_name: 'one.mp4',
      module: 'face_recognition',
      meta: {},
      detections: [],
      thumbnail: { image: 'A'.repeat(10_000), meta: {} },
    };
  }
}

describe('writeResultsJson', () => {
  it.each([0, 1, 3])('writes one JSON object with %i results', async (count) => {
    const job = sampleJob();
    const parsed: unknown = JSON.parse(
      await text(writeResultsJson({ job, summary: [], detailedResults: results(count) })),
    );
    const expected: DetailedResult[] = [];
    for await (const result of results(count)) expected.push(result);
    expect(parsed).toEqual({ job, summary: [], detailed_results: expected });
  });

  it('asks for results only as fast as they are read', async () => {
    let asked = 0;
    async function* counted(): AsyncGenerator<DetailedResult> {
      for await (const result of results(1000)) {
        asked += 1;
        yield result;
      }
    }
    const stream = writeResultsJson({ job: sampleJob(), summary: [], detailedResults: counted() });
    await new Promise((resolve) => stream.once('readable', resolve));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toBeLessThan(100);
    stream.destroy();
  });

  it('ends in an error when the results do', async () => {
    async function* broken(): AsyncGenerator<DetailedResult> {
      yield* results(1);
      throw new Error('the database went away');
    }
    const stream = writeResultsJson({ job: sampleJob(), summary: [], detailedResults: broken() });
    await expect(text(stream)).rejects.toThrow('the database went away');
  });
});
