/** @needs build */
import { readFile } from 'node:fs/promises';
import { AditError } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import { TrainingProcess } from './training-process.js';

const MEMORY = 384 * 2 ** 20;
const begin = { begin: 'face' } as const;

/** Images of one class whose vectors have so many bytes together. */
function images(count: number, bytes: number) {
  const vectors = new Float32Array(bytes / 4);
  const rows = Array.from({ length: count }, (_, at) => ({ of: 0, id: `${at}`, digest: null, fault: null }));
  return { images: { images: rows, vectors } };
}

describe('the process of a training', () => {
  it('has no more memory than the limit of a training, and says so', async () => {
    const own = new TrainingProcess(MEMORY, () => undefined);
    await own.order(begin);
    await own.order({ open: [{ id: 'a', label: 'A' }] });
    const filled = (async () => {
      for (let page = 0; page < 40; page += 1) await own.order(images(1_000, 16 * 2 ** 20));
    })();
    await expect(filled).rejects.toMatchObject({
      message: expect.stringMatching(/384 MiB .*ADIT_TRAINING_MEMORY_BYTES|allocation failed/),
    });
    await own.close();
  });

  it('rejects pending orders when it dies or is ended', async () => {
    const before = await children();
    const own = new TrainingProcess(MEMORY, () => undefined);
    await own.order(begin);
    const [pid] = (await children()).filter((each) => !before.includes(each));
    process.kill(pid!, 'SIGKILL');
    await expect(
      (async () => {
        for (;;) await own.order(begin);
      })(),
    ).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED', message: expect.stringContaining('SIGKILL') });
    const other = new TrainingProcess(MEMORY, () => undefined);
    await other.order(begin);
    const stopped = other.order({ open: [] });
    const ended = other.close(new AditError('CONFLICT', 'The training was stopped.'));
    await expect(stopped).rejects.toMatchObject({ code: 'CONFLICT' });
    await ended;
    expect((await children()).filter((each) => !before.includes(each))).toEqual([]);
  });
});

/** Ids of this process's children. */
async function children(): Promise<number[]> {
  const text = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}
