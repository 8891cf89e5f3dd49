import { afterEach, describe, expect, it } from '@jest/globals';
import { ClassThread, type KnownImages } from './class-thread.js';
import type { ClassFace } from './cluster-faces.js';

/** Views of one person; equal numbers are one picture. */
const faces = (...numbers: number[]): ClassFace[] =>
  numbers.map((at) => {
    const vector = new Float32Array(32);
    vector[0] = 0.8;
    vector[at + 1] = 0.6;
    return { vector, digest: null, female: 0.9, yaw: at, pitch: 0 };
  });
const images = (count: number): KnownImages => ({ count, digest: `${count}` });

describe('the class comparison thread', () => {
  let thread = new ClassThread();
  afterEach(async () => {
    await thread.close();
    thread = new ClassThread();
  });

  it('continues a known class, and starts anew where it has changed', async () => {
    await thread.compare('a', { known: null, faces: faces(0, 1, 2), all: images(3) });
    expect([thread.compared, thread.known('a')]).toEqual([3, images(3)]);
    const more = await thread.compare('a', { known: thread.known('a'), faces: faces(3, 0), all: images(5) });
    expect(more.clusters).toEqual(['match', 'match', 'match', 'match', 'duplicate']);
    expect(more.gender).toBe('female');
    expect(more.result.attribute_statistics?.head_pose).toMatchObject({ yaw_mean_std: [1.2, 1.17] });
    expect(thread.compared).toBe(3 + 3 + 4);
    const anew = await thread.compare('a', { known: null, faces: faces(4, 4), all: images(2) });
    expect([anew.clusters, thread.compared]).toEqual([['match', 'duplicate'], 11]);
  });

  it('keeps the most recently compared classes, within its capacity', async () => {
    thread = new ClassThread(5);
    for (const id of ['a', 'b']) await thread.compare(id, { known: null, faces: faces(0, 1), all: images(2) });
    await thread.compare('a', { known: thread.known('a'), faces: [], all: images(2) });
    await thread.compare('c', { known: null, faces: faces(0, 1), all: images(2) });
    expect(['a', 'b', 'c'].map((id) => thread.known(id) !== null)).toEqual([true, false, true]);
    // A class beyond the capacity is still compared.
    await thread.compare('d', { known: null, faces: faces(0, 1, 2, 3, 4, 5), all: images(6) });
    expect(['a', 'c', 'd'].map((id) => thread.known(id) !== null)).toEqual([false, false, true]);
  });

  it('rejects waiting requests when it is ended, and restarts', async () => {
    const waiting = thread.compare('a', { known: null, faces: faces(0, 1), all: images(2) });
    const refused = expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await thread.close();
    await refused;
    expect(thread.known('a')).toBeNull();
    expect((await thread.compare('a', { known: null, faces: faces(0), all: images(1) })).clusters).toEqual(['match']);
  });
});
