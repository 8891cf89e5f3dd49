/** @needs weights */
import type { ForeignObject } from '@adit/objects';
import { describe, expect, it } from '@jest/globals';
import { readListing } from './synced-listing.js';

const LIMITS = { maxObjects: 100, maxSeconds: 60 };
async function* objects(names: readonly string[], more: Partial<ForeignObject> = {}): AsyncIterable<ForeignObject> {
  for (const name of names) yield { name, size: 3, tag: name, modified: new Date(5), ...more };
}
const read = (names: readonly string[], more?: Partial<ForeignObject>) => readListing(objects(names, more), LIMITS);

describe('a listing of models', () => {
  it('a listing has versions with the files of their model', async () => {
    const { versions, strange } = await read(['a/config.pbtxt', 'a/labels.txt', 'a/2/model.onnx', 'a/10/model.onnx']);
    expect(versions.map(({ name, version, bytes }) => [name, version, bytes])).toEqual([
      ['a', 2, 9],
      ['a', 10, 9],
    ]);
    expect(versions[0]!.files.map(({ path }) => path)).toEqual(['2/model.onnx', 'config.pbtxt', 'labels.txt']);
    expect(strange.count).toBe(0);
  });

  it('names that lead elsewhere become no file', async () => {
    const names = [
      '../etc/passwd',
      'a/../b',
      'a/1/../x',
      '/abs/1/model.onnx',
      'a//model.onnx',
      'a/1/',
      'a/01/model.onnx',
    ];
    const more = ['a/1/x/model.onnx', 'a/.hidden', '.git/1/model.onnx', 'a/1/a\u0000b', 'a\\b/1/m', 'README.md', 'a/1'];
    const { versions, strange } = await read([...names, ...more, `a/1/${'x'.repeat(200)}`]);
    expect(versions).toEqual([]);
    expect(strange.count).toBe(names.length + more.length + 1);
    expect(strange.names).toHaveLength(5);
  });

  it('versions with different files differ', async () => {
    const one = async (more: Partial<ForeignObject>) => (await read(['a/1/model.onnx'], more)).versions[0]!.fingerprint;
    const [first, ...others] = await Promise.all([one({}), one({ tag: 'b' }), one({ size: 4 })]);
    expect(new Set([first, ...others]).size).toBe(3);
    expect(await one({ modified: new Date(9) })).toBe(first);
  });

  it('a listing has a limit', async () => {
    const many = Array.from({ length: 101 }, (_, at) => `a/${at + 1}/model.onnx`);
    await expect(read(many)).rejects.toMatchObject({ code: 'TOO_LARGE' });
    await expect(readListing(objects(['a/1/m']), { maxObjects: 9, maxSeconds: -1 })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });
});
