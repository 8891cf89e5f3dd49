/** @needs ffmpeg */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { sizedDetectorGraph } from '@adit/inference/spec-graph';
import { transcode } from '@adit/testing';
import { AnalysisHarness } from '../testing/analysis-harness.js';
import objects from './analysis.js';
import type { ObjectObservations } from './observations.js';

let folder: string;
let harness: AnalysisHarness<ObjectObservations> | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
  await rm(folder, { recursive: true, force: true });
});

async function opened(more: string, decoding = 'd-fine'): Promise<AnalysisHarness<ObjectObservations>> {
  folder = await mkdtemp(join(tmpdir(), 'adit-side-inputs-'));
  await mkdir(join(folder, 'sized/1'), { recursive: true });
  await writeFile(join(folder, 'sized/1/model.onnx'), sizedDetectorGraph(64));
  await writeFile(
    join(folder, 'sized/model.yaml'),
    `name: sized
kind: network
task: object-detection
family: detector
decoding: ${decoding}
labels: [first, second, third]
maxBatch: 8
input: { tensor: images, width: 64, height: 64, colour: rgb, mean: [0], std: [255], resize: stretch, filter: bilinear${more} }
modules: [object_scene_recognition]
licence: none
origin: written by the specs
`,
  );
  return AnalysisHarness.open(objects, folder);
}

const grey = () => transcode('side-inputs-grey.png', ['-f', 'lavfi', '-i', 'color=gray:s=320x160', '-frames:v', '1']);

describe("a detector with the picture's size as an input", () => {
  it('gets it, and counts its labels from 0', async () => {
    harness = await opened(', also: { orig_target_sizes: size }');
    const [{ tracks }] = (await harness.at(await grey(), { model: 'sized', side: 600 })) as [ObjectObservations];
    const seen = tracks.map(({ label, sightings: [best] }) => [label, best?.score, best?.box]);
    expect(seen).toEqual([
      ['first', 0.9, { x: 0.125, y: 0.25, w: 0.5, h: 0.5 }],
      ['third', 0.8, { x: 0.5, y: 0.5, w: 0.25, h: 0.375 }],
    ]);
  });

  it('fails with the reason where its model.yaml lacks the size, or names an input that the graph lacks', async () => {
    harness = await opened('');
    await expect(harness.at(await grey(), { model: 'sized', side: 600 })).rejects.toThrow(/orig_target_sizes is int64/);
    await harness.close();
    await rm(folder, { recursive: true });
    harness = await opened(', also: { sizes: size }');
    await expect(harness.at(await grey(), { model: 'sized', side: 600 })).rejects.toThrow(
      /names the input sizes; the graph has .*orig_target_sizes/,
    );
  });

  it('fails with the reason where its outputs have another decoding', async () => {
    harness = await opened(', also: { orig_target_sizes: size }', 'yolox');
    await expect(harness.at(await grey(), { model: 'sized', side: 600 })).rejects.toMatchObject({
      code: 'VALIDATION',
      message: expect.stringMatching(/sized cannot be read as yolox/),
    });
  });
});
