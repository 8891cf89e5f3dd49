import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageBody, standardHeaders } from '@adit/webhooks';
import { parseHeaders, verifyFiles } from './webhook-verify.js';

const secret = 'a secret';
const id = '0f5a2c9e-3b1d-4c59-9a44-5f4e6f1b2d37';
const body = messageBody({ event: 'svc.export.on_completed', id, timestamp: 1772366400.25, data: '{"a":"ü"}' }, secret);
const headers = standardHeaders([secret], { id, timestamp: 1772366401, body });
const at = '2026-03-01T12:00:20Z';
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-verify-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

describe('adit webhook verify', () => {
  it('says that a genuine message is genuine, and what is wrong with another', async () => {
    const options = {
      body: await file('body.json', body),
      headers: await file('headers.json', JSON.stringify(headers)),
      secretFile: await file('secret', `${secret}\n`),
      at,
    };
    const told = async (more: Partial<typeof options>, env = {}) => {
      const { valid, findings } = await verifyFiles({ ...options, ...more }, env);
      return [valid, ...findings.map(({ good, message }) => `${good ? '+' : '-'} ${message.replace(/:.*/, '')}`)];
    };
    const right = ['+ webhook-signature is right', '+ webhook-timestamp is 19 s old.', '+ hmac_signature is right'];
    expect(await told({})).toEqual([true, ...right]);
    expect(await told({ at: '1772366420' })).toEqual([true, ...right]);
    expect((await told({ at: '2026-03-01T13:00:00Z' }))[0]).toBe(false);
    expect(await told({ body: await file('other.json', body.replace('ü', 'u')) })).toEqual([
      false,
      '- webhook-signature is wrong',
      right[1],
      '- hmac_signature is wrong',
    ]);
    const { headers: _, secretFile: __, ...alone } = options;
    const { valid } = await verifyFiles(alone, { ADIT_WEBHOOK_SECRET: secret });
    expect(valid).toBe(true);
    await expect(verifyFiles(alone, {})).rejects.toThrow(/--secret-file/);
    await expect(told({ at: 'yesterday' })).rejects.toThrow(/no time/);
    await expect(told({ body: join(folder, 'nothing') })).rejects.toThrow(/cannot be read/);
  });

  it('reads headers as they are kept', () => {
    const lines = ['POST /adit HTTP/1.1', 'Webhook-Id: a', 'webhook-signature:v1,x v1,y', '', 'rest'].join('\r\n');
    expect(parseHeaders(lines)).toEqual({ 'Webhook-Id': 'a', 'webhook-signature': 'v1,x v1,y' });
    expect(parseHeaders('{"a":"b","c":["d"]}')).toEqual({ a: 'b', c: ['d'] });
    expect(() => parseHeaders('{"a":1}')).toThrow(/JSON/);
  });
});
