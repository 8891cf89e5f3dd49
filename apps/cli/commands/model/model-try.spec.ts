/** @needs ffmpeg */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModelManifest } from '@adit/contracts';
import { writeModelVersion } from '@adit/inference';
import { answeringGraph } from '@adit/inference/spec-graph';
import { transcode } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { tryModel } from './model-try.js';

let folder: string;
let photo: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-model-try-'));
  photo = await transcode('model-try-grey.png', ['-f', 'lavfi', '-i', 'color=gray:s=320x160', '-frames:v', '1']);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns the output for a model that answers these rows to every picture. */
async function tried(rows: number[][], said: object): Promise<string> {
  const manifest = ModelManifest.parse({
    ...{ name: 'mine', kind: 'network', licence: 'none', origin: 'written by the specs' },
    modules: ['object_scene_recognition'],
    input: { tensor: 'images', width: 64, height: 64, std: [255], resize: 'stretch', filter: 'bilinear' },
    ...said,
  });
  const written: string[] = [];
  const spy = jest.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  try {
    const write = (draft: string) => writeFile(join(draft, 'model.onnx'), answeringGraph(64, rows));
    await tryModel(manifest, { photo, drawn: join(folder, 'drawn.jpg'), installed: [] }, (models) =>
      writeModelVersion(models, { manifest, weights: 'model.onnx', write }),
    );
  } finally {
    spy.mockRestore();
  }
  return written.join('');
}

describe('a model in which nothing is found', () => {
  const detector = { task: 'object-detection', family: 'detector', labels: ['cat', 'dog'] };

  it('its highest score is reported, and how it would find something', async () => {
    const said = await tried([[40, 40, 52, 52, 0.9, 1]], { ...detector, decoding: 'ultralytics-rtdetr' });
    expect(said).toBe(
      'Nothing with a score of 0.25 or more. The highest score is 0.900, of dog.\n' +
        'Read as boxes it would find 1, the surest with 0.900: --decoding boxes.\n',
    );
  });

  it('its highest score is reported alone when no other way would find more', async () => {
    const said = await tried([[8, 8, 40, 40, 0.125, 0]], { ...detector, decoding: 'boxes' });
    expect(said).toBe('Nothing with a score of 0.25 or more. The highest score is 0.125, of cat.\n');
  });

  it('a classifier reports its scores, too', async () => {
    const scores = Array.from({ length: 20 }, (_, at) => (at === 3 ? 0.96 : at / 100));
    const labels = scores.map((_, at) => `kind ${at}`);
    const classifier = { task: 'image-classification', family: 'classifier', labels, decoding: 'softmax' };
    const said = await tried([scores], classifier);
    expect(said).toContain('of kind 3.');
    expect(said).toContain('Read as scores it would find 1, the surest with 0.960: --decoding scores.');
  });
});
