import { describe, expect, it } from '@jest/globals';
import { LineFaults, MAX_LINES, readBatchFile } from './batch-file.js';

const HEADER = 'source,tag,modules\n';

async function read(text: string): Promise<{ lines: number[]; faults: string }> {
  const faults = new LineFaults();
  const lines = await readBatchFile(Buffer.from(text), faults);
  return { lines: lines.map(({ line }) => line), faults: String(faults) };
}

describe('a batch file', () => {
  it('a batch file yields to other work while it is read', async () => {
    let turns = 0;
    const count = setInterval(() => (turns += 1), 1);
    const line = 'https://example.org/a.mp4,"evening\nnews",face_recognition;object_recognition\n';
    const { lines, faults } = await read(HEADER + line.repeat(MAX_LINES));
    clearInterval(count);
    expect([lines.length, lines.at(-1), faults]).toEqual([MAX_LINES, 2 * MAX_LINES, '']);
    expect(turns).toBeGreaterThan(1);
  });

  it('a batch file is not read beyond its limit', async () => {
    await expect(read(`${HEADER}${'a.jpg,,face_recognition\n'.repeat(MAX_LINES + 1)}"`)).rejects.toThrow(
      `at most ${MAX_LINES} jobs`,
    );
    const { lines, faults } = await read(
      [
        'source,tag,modules',
        `a.jpg,${'x'.repeat(65_537)},face_recognition`,
        `a.jpg${',x'.repeat(1_000)}`,
        'a.jpg,,face_recognition',
        '"a.jpg',
      ].join('\n'),
    );
    expect(lines).toEqual([4]);
    expect(faults.split('\n')).toEqual([
      'Line 2: a field has at most 65536 characters.',
      'Line 3: it has more than 1000 fields.',
      'Line 5: a quoted field begins here and never ends.',
    ]);
  });
});
