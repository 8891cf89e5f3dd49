import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packageFolder } from '../package-folder.js';
import { readLineReader, type Layer } from './tesseract-data.js';
import { convertTesseract } from './tesseract-lstm.js';

let german: string;
let folder: string;
beforeAll(async () => {
  german = join(await packageFolder('@tesseract.js-data/deu', '1.0.0'), '4.0.0_best_int/deu.traineddata.gz');
  folder = await mkdtemp(join(tmpdir(), 'adit-tesseract-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

function kinds(layer: Layer): string[] {
  if (layer.kind === 'series') return layer.layers.flatMap(kinds);
  return 'layer' in layer ? [layer.kind, ...kinds(layer.layer)] : [layer.kind];
}

describe('a Tesseract line recogniser', () => {
  it('has the layers of its specification and the letters of its language', async () => {
    const { network, labels, blank } = await readLineReader(german);
    // [1,H,0,1 Ct3,3,16 Mp3,3 Lfys Lfx Lrx Lfx O1c]
    expect(kinds(network).join(' ')).toBe('input convolve full maxpool transposed lstm lstm reversed lstm lstm full');
    expect(blank).toBe(labels.length - 1);
    for (const letter of ' aßüÖ') expect(labels).toContain(letter);
    expect(labels).not.toContain('ł');
  });

  it('is converted deterministically', async () => {
    expect(Buffer.compare(await convertTesseract(german, 'x'), await convertTesseract(german, 'x'))).toBe(0);
  });

  it('is refused when it is truncated', async () => {
    const bytes = gunzipSync(await readFile(german));
    for (const share of [0, 0.001, 0.1]) {
      const path = join(folder, `cut-${share}.traineddata`);
      await writeFile(path, bytes.subarray(0, Math.floor(bytes.length * share)));
      await expect(readLineReader(path)).rejects.toThrow(/no Tesseract data with a line recogniser/);
    }
  });
});
