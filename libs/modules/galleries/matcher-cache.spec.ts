import { describe, expect, it } from '@jest/globals';
import { AditError } from '@adit/contracts';
import { bytesOf } from './embedding.js';
import { matcherOf } from './matcher-cache.js';
import { galleryOf } from '../face_recognition/testing/scenes.js';

function contextOf(name: string) {
  const { vectors, ...file } = galleryOf(name, { Ann: 1 });
  const reads: string[] = [];
  return {
    reads,
    models: [{ name, version: 1, digest: Buffer.from(name).toString('hex').padEnd(64, '0') }],
    readModelFile: (_: unknown, asked: string) => {
      reads.push(asked);
      return Promise.resolve(asked === 'gallery.json' ? Buffer.from(JSON.stringify(file)) : bytesOf(vectors));
    },
  };
}

describe('galleries in memory', () => {
  it('are read once, until others have been used more recently', async () => {
    const first = contextOf('one');
    const matcher = await matcherOf(first);
    expect(matcher.persons).toHaveLength(1);
    expect(await matcherOf(first)).toBe(matcher);
    expect(first.reads.sort()).toEqual(['embeddings.bin', 'gallery.json']);
    for (const name of ['two', 'three', 'four', 'five']) await matcherOf(contextOf(name));
    expect(await matcherOf(first)).not.toBe(matcher);
    expect(first.reads).toHaveLength(4);
  });

  it('that could not be read are read again', async () => {
    const good = contextOf('late');
    const bad = { ...good, readModelFile: () => Promise.reject(new AditError('UNAVAILABLE', 'not now')) };
    await expect(matcherOf(bad)).rejects.toThrow('not now');
    expect((await matcherOf(good)).persons).toHaveLength(1);
  });
});
