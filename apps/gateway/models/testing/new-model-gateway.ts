import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Model } from '@adit/contracts';
import { ApiKeyEntity, WorkspaceEntity } from '@adit/database';
import { detectorGraph } from '@adit/inference/spec-graph';
import { afterAll, beforeAll, expect } from '@jest/globals';
import yazl from 'yazl';
import { hashApiKey } from '../../auth/api-key.js';
import { BOOT_MS, startGateway, type TestGateway } from '../../testing/gateway.js';

export const LONG = 300_000;

/** Nothing in the graph says what its classes are called. */
export const LABELS = Array.from({ length: 80 }, (_, at) => `thing ${at}`).join('\n');

export const answers = {
  labels: LABELS,
  colour: 'bgr',
  mean: '103.53,116.28,123.675',
  std: '57.375,57.12,58.395',
  resize: 'letterbox',
};

export let gateway: TestGateway;

export let base: string;

export let folder: string;

export const graph = detectorGraph();

/** Keys: of the installation's first key, of an admin, a member and of another workspace's admin. */
export let owner: string;

export let admin: string;

export let member: string;

export let otherWorkspace: string;

async function keyOf(workspaceId: string, role: 'admin' | 'member'): Promise<string> {
  const { manager } = gateway.db;
  const known = await manager.existsBy(WorkspaceEntity, { id: workspaceId });
  if (!known) await manager.insert(WorkspaceEntity, { id: workspaceId, name: 'other', signingSecret: 's' });
  const key = `key-${randomUUID()}`;
  const row = { id: randomUUID(), workspaceId, name: 'k', prefix: 'a', hash: hashApiKey(key), role };
  await manager.insert(ApiKeyEntity, row);
  return key;
}

export const fresh = () => `m-${randomUUID().slice(0, 8)}`;

export async function add(fields: Record<string, string>, file: Buffer | null = graph, key = admin) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (file !== null) form.append('file', new Blob([new Uint8Array(file)]), 'model.onnx');
  const headers = { authorization: `Key ${key}` };
  const reply = await fetch(`${base}models/`, { method: 'POST', body: form, headers });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

export async function added(fields: Record<string, string>, file?: Buffer, key?: string): Promise<Model> {
  const { status, body } = await add(fields, file, key);
  expect([status, body['detail']]).toEqual([200, undefined]);
  return Model.parse(body);
}

export const as = (key: string) => ({ authorization: `Key ${key}` });

export async function zipped(files: Record<string, Buffer | string>, more: { mode?: number } = {}): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name, more);
  zip.end();
  const pieces: Buffer[] = [];
  for await (const piece of zip.outputStream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** Registers the hooks that start and end the shared parts of a spec. */
export function useNewModelGateway(): void {
  beforeAll(async () => {
    gateway = await startGateway({ maxModelBytes: 32 << 20, refusedBytesPerMinute: 0 });
    await gateway.app.listen(0, '127.0.0.1');
    base = `${await gateway.app.getUrl()}/api/v1/`;
    folder = await mkdtemp(join(tmpdir(), 'adit-new-models-'));
    owner = gateway.key;
    admin = await keyOf(gateway.workspaceId, 'admin');
    member = await keyOf(gateway.workspaceId, 'member');
    otherWorkspace = await keyOf(randomUUID(), 'admin');
  }, BOOT_MS);
  afterAll(async () => {
    await gateway?.close();
    await rm(folder, { recursive: true, force: true });
  });
}
