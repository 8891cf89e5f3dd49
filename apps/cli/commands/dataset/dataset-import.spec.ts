import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { importInto } from './dataset-import.js';
import { train } from '../train/train.js';

const [DATASET, IMPORT, TRAINING] = [1, 2, 3].map((at) => `00000000-0000-4000-8000-00000000000${at}`);

type Answer = { status?: number; body: unknown };
/** An engine that answers what it is told to: one that breaks at a certain request cannot be had otherwise. */
describe('imports and trainings that do not end as they should', () => {
  let server: Server;
  let folder: string;
  let list: string;
  let asked: string[];
  let imports: (polls: number) => Answer;
  let begin: Answer;
  let polls: number;
  const before = process.env['ADIT_API_KEY'];

  const answerTo = (request: string): Answer => {
    if (request === 'GET /api/v1/datasets/') {
      const data = [{ id: DATASET, name: 'Team', number_of_images: 0 }];
      return { body: { data, total: 1, next: null, prev: null } };
    }
    if (request === 'POST /api/v1/storage/') return { body: { id: 7, url: 'storage://list' } };
    if (request.startsWith('DELETE')) return { body: { message: 'Deleted.' } };
    if (request.startsWith('POST')) return begin;
    polls += 1;
    return imports(polls);
  };
  beforeAll(async () => {
    process.env['ADIT_API_KEY'] = 'key';
    folder = await mkdtemp(join(tmpdir(), 'adit-import-'));
    list = join(folder, 'list.csv');
    await writeFile(list, 'file_uri,label\n');
    server = createServer((request, reply) => {
      const said = `${request.method} ${request.url?.split('?')[0]}`;
      asked.push(said);
      request.resume().on('end', () => {
        const { status = 200, body } = answerTo(said);
        reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(() => {
    asked = [];
    polls = 0;
    begin = { status: 202, body: { id: IMPORT, state: 'queued', progress: 0 } };
  });
  afterEach(() => {
    process.exitCode = undefined;
  });
  afterAll(async () => {
    if (before === undefined) delete process.env['ADIT_API_KEY'];
    else process.env['ADIT_API_KEY'] = before;
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const options = () => ({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, json: true });
  const removed = () => asked.filter((request) => request.startsWith('DELETE'));
  const going: Answer = { body: { id: IMPORT, dataset_id: DATASET, state: 'processing', progress: 0.5 } };
  const broken: Answer = { status: 500, body: { title: 'Broken', status: 500, code: 'INTERNAL' } };

  it('keeps what was uploaded while the import may still read it', async () => {
    imports = (count) => (count < 3 ? going : broken);
    await expect(importInto('Team', list, options())).rejects.toThrow();
    expect(asked).toContain('POST /api/v1/storage/');
    expect(removed()).toEqual([]);
  });

  it('takes it away again when the import was refused', async () => {
    begin = { status: 404, body: { title: 'Gone', status: 404, code: 'NOT_FOUND' } };
    await expect(importInto('Team', list, options())).rejects.toThrow();
    expect(removed()).toEqual([expect.stringMatching(/^DELETE \/api\/v1\/storage\//)]);
  });

  it('keeps it while the first request, whose answer was lost, is still being answered', async () => {
    const errors = [{ pointer: '', code: 'in_progress', message: 'Still being answered.' }];
    begin = { status: 409, body: { title: 'Conflict', status: 409, code: 'CONFLICT', errors } };
    await expect(importInto('Team', list, options())).rejects.toThrow();
    expect(asked.filter((request) => request.endsWith('/imports/'))).toHaveLength(3);
    expect(removed()).toEqual([]);
    begin = { status: 409, body: { title: 'Conflict', status: 409, code: 'CONFLICT', errors: [] } };
    await expect(importInto('Team', list, options())).rejects.toThrow();
    expect(removed()).toEqual([expect.stringMatching(/^DELETE \/api\/v1\/storage\//)]);
  });

  it('stops the import at Ctrl-C, and takes away what was uploaded', async () => {
    imports = (count) => {
      if (count === 3) process.emit('SIGINT');
      return going;
    };
    await importInto('Team', list, options());
    expect(process.exitCode).toBe(130);
    expect(removed()).toEqual([
      `DELETE /api/v1/datasets/${DATASET}/imports/${IMPORT}/`,
      expect.stringMatching(/^DELETE \/api\/v1\/storage\//),
    ]);
  });

  it('stops the training at Ctrl-C', async () => {
    begin = { body: { id: TRAINING, state: 'queued', progress: 0 } };
    imports = (count) => {
      if (count === 3) process.emit('SIGINT');
      return { body: { id: TRAINING, state: 'processing', progress: 0.2 } };
    };
    await train('Team', { ...options(), name: 'team' });
    expect(process.exitCode).toBe(130);
    expect(removed()).toEqual([`DELETE /api/v1/trainings/${TRAINING}/`]);
  });
});
