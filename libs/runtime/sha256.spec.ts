import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkSha256, sha256Of, sha256OfFile, Sha256Stream } from './sha256.js';

const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

describe('a SHA-256', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sha256-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('is the same of bytes, of a file and of a stream, which passes on as it was', async () => {
    const path = join(folder, 'abc');
    await writeFile(path, 'abc');
    const stream = new Sha256Stream();
    const passed: Buffer[] = [];
    const write = (chunk: Buffer, _: string, done: () => void): void => void (passed.push(chunk), done());
    await pipeline(Readable.from([Buffer.from('a'), Buffer.from('bc')]), stream, new Writable({ write }));
    expect([sha256Of(Buffer.from('abc')), await sha256OfFile(path), stream.digest()]).toEqual([ABC, ABC, ABC]);
    expect(Buffer.concat(passed).toString()).toBe('abc');
  });

  it('of a file that is missing is an error', async () => {
    await expect(sha256OfFile(join(folder, 'missing'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('that is not the expected one is named with it', () => {
    const check = { name: 'model.onnx', found: ABC, expected: ABC, code: 'VALIDATION' } as const;
    expect(() => checkSha256(check)).not.toThrow();
    const message = `model.onnx has SHA-256 ${ABC}, not 00.`;
    const other = { ...check, expected: '00' };
    expect(() => checkSha256(other)).toThrow(expect.objectContaining({ code: 'VALIDATION', message }));
    expect(() => checkSha256({ ...other, hint: 'Fetch it again.' })).toThrow(`${message} Fetch it again.`);
  });
});
