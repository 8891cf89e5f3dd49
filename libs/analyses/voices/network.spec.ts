/** @needs ffmpeg */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { floatTensor, ModelRepository, SessionPool, type NetworkSession } from '@adit/inference';
import { sampleMedia, transcode } from '@adit/testing';
import { pulledModel } from '../testing/pulled-models.js';

const WINDOW = 25_840;
/**
 * Tolerance between two implementations of the transform and of the LSTM; a wrong gate or window is off by far more.
 */
const TOLERANCE = 1e-4;

const models = await pulledModel('resemblyzer');
if ('reason' in models) {
  describe(`resemblyzer (skipped: ${models.reason})`, () => it.skip('all of these tests', () => undefined));
} else {
  describe('resemblyzer', () => {
    let repository: ModelRepository;
    let pool: SessionPool;
    let sound: Float32Array;
    let network: NetworkSession;
    let release: () => void;
    beforeAll(async () => {
      repository = await ModelRepository.open({ roots: [models.folder] });
      pool = new SessionPool({ onnx: { threads: 1 } });
      ({ network, release } = await pool.acquire(repository.resolve('resemblyzer')));
      const path = await transcode('kennedy.f32', ['-i', sampleMedia().kennedy, '-ar', '16000', '-f', 'f32le']);
      const file = await readFile(path);
      sound = new Float32Array(file.buffer, file.byteOffset, file.length / 4);
    });
    afterAll(async () => {
      release?.();
      await pool?.close();
      await repository?.close();
    });

    const embedded = async (samples: Float32Array): Promise<number[]> => {
      const { embedding } = await network.run({ sound: floatTensor(samples, [WINDOW]) });
      return Array.from(embedding!.data as Float32Array);
    };

    it.each([8_000, 72_000])('equals the original for the samples from %d on', async (from) => {
      const golden = await readFile(join(import.meta.dirname, 'golden', `kennedy-${from}.json`), 'utf8');
      const expected = JSON.parse(golden) as number[];
      const actual = await embedded(sound.slice(from, from + WINDOW));
      expect(actual).toHaveLength(expected.length);
      const apart = actual.map((value, i) => Math.abs(value - expected[i]!));
      expect(Math.max(...apart)).toBeLessThan(TOLERANCE);
    });

    it('gives the same at every usual recording level', async () => {
      const samples = sound.slice(8_000, 8_000 + WINDOW);
      const [loud, quiet] = [await embedded(samples), await embedded(samples.map((value) => value / 50))];
      const cosine = loud.reduce((sum, value, i) => sum + value * quiet[i]!, 0);
      expect(cosine).toBeGreaterThan(0.99999);
    });
  });
}
