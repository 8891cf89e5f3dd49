import { AditError } from '@adit/contracts';
import { openAudioPackBuffer, type LiveSound } from '@adit/media';
import { describe, expect, it } from '@jest/globals';
import { FirstSound } from './first-sound.js';

const STREAM = { jobId: '5d1c', sourceIndex: 0 };

/** Objects in memory. */
function store() {
  const objects = new Map<string, Buffer>();
  return {
    objects,
    put: (key: string, body: unknown) => {
      objects.set(key, Buffer.from(body as Buffer));
      return Promise.resolve({ key, size: 0, modified: new Date() });
    },
    read: (key: string) => {
      const found = objects.get(key);
      return found ? Promise.resolve(found) : Promise.reject(new AditError('NOT_FOUND', key));
    },
  };
}

/** A part of so many seconds, with a second before it. */
function part(fromMs: number, seconds: number, level = 0.1): LiveSound {
  const samples = new Float32Array((seconds + 1) * 16_000).fill(level);
  const interval = { startMs: fromMs, endMs: fromMs + seconds * 1000 };
  return { interval, start: fromMs * 16 - 16_000, samples, arrived: 0 };
}

describe('the sound by which the language of a stream is told', () => {
  it('is the first 32 s that are not silent, and then the first 64, for good', async () => {
    const objects = store();
    const first = new FirstSound(objects, STREAM);
    const keys: (string | null)[] = [];
    for (let at = 0; at < 16; at++) keys.push(await first.add(part(at * 6000, 6, at < 4 ? 0.0001 : 0.1)));
    const [half, whole] = ['first-32', 'first-64'].map((name) => `jobs/5d1c/packs/stream-0/${name}`);
    expect(keys).toEqual([...Array<null>(9).fill(null), ...Array<string>(5).fill(half!), whole, whole]);
    const pack = await openAudioPackBuffer(objects.objects.get(whole!)!);
    expect(pack).toMatchObject({ start: 0, ownStart: 0, end: 64 * 16_000, ownEnd: 64 * 16_000 });
    expect((await pack.samples(0, 10))[0]).toBeCloseTo(0.1);
  });

  it('counts a part once that is stored again', async () => {
    const first = new FirstSound(store(), STREAM);
    const again = part(0, 16);
    for (let at = 0; at < 3; at++) expect(await first.add(again)).toBeNull();
    expect(await first.add(part(16_000, 16))).not.toBeNull();
  });

  it('is that of the recorder before', async () => {
    const objects = store();
    const before = new FirstSound(objects, STREAM);
    const half = await before.add(part(0, 32));
    const next = new FirstSound(objects, STREAM);
    expect(await next.add(part(40_000, 6, 0))).toBe(half);
    expect(await next.add(part(46_000, 32, 0.2))).toMatch(/first-64$/);
    expect(await new FirstSound(objects, STREAM).add(part(90_000, 6))).toMatch(/first-64$/);
  });
});
