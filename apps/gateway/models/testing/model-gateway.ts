import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Model, modelId } from '@adit/contracts';
import { ApiKeyEntity, WorkspaceEntity } from '@adit/database';
import { ModelRepository } from '@adit/inference';
import { writeGalleryVersion, FACE_GALLERY, LANDMARK_MODEL, type GalleryKind } from '@adit/modules';
import { afterAll, beforeAll } from '@jest/globals';
import { hashApiKey } from '../../auth/api-key.js';
import { BOOT_MS, startGateway, type TestGateway } from '../../testing/gateway.js';

const TIMEOUT_MS = 300_000;

export const LONG = 600_000;

export let gateway: TestGateway;

/** Headers of keys that belong elsewhere, or may only read. */
export let otherWorkspace: Record<string, string>;

export let reader: Record<string, string>;

export async function keyOf(workspaceId: string, role: 'admin' | 'reader'): Promise<Record<string, string>> {
  const { manager } = gateway.db;
  const known = await manager.existsBy(WorkspaceEntity, { id: workspaceId });
  if (!known) await manager.insert(WorkspaceEntity, { id: workspaceId, name: 'other', signingSecret: 's' });
  const key = `key-${randomUUID()}`;
  const row = { id: randomUUID(), workspaceId, name: 'k', prefix: 'a', hash: hashApiKey(key), role };
  await manager.insert(ApiKeyEntity, row);
  return { authorization: `Key ${key}` };
}

export const folder = (name = ''): string => join(gateway.dataDir, 'models', name);

interface Gallery {
  kind?: GalleryKind;
  people?: number;
  /** The network that made it. */
  digest?: string;
}

export function build(name: string, { kind = FACE_GALLERY, people = 1, digest }: Gallery = {}) {
  const shown = Array.from({ length: people }, (_, at) => ({
    label: `${name} ${at}`,
    embeddings: [[at + 1, 1, 0, 0]],
  }));
  const { pin } = gateway.app.get(ModelRepository).resolve('face-embedding');
  const embedding = { name: pin.name, digest: digest ?? pin.digest };
  return writeGalleryVersion(folder(), name, shown, { kind, embedding, dimensions: 4, description: `All of ${name}` });
}

/** The repository notices by itself; seconds may pass. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + TIMEOUT_MS; !(await condition()); await sleep(50)) {
    if (Date.now() > end) throw new Error('It never came to that.');
  }
}

export const ask = (
  method: 'GET' | 'PUT' | 'DELETE',
  id: string,
  body?: unknown,
  headers: Record<string, string> = {},
) => gateway.ask(method, `/api/v1/models/${id}/`, body, headers);

export const list = async (headers: Record<string, string> = {}): Promise<Model[]> =>
  Model.array().parse((await gateway.ask('GET', '/api/v1/models/', undefined, headers)).json());

export const names = async (headers: Record<string, string> = {}) => (await list(headers)).map(({ name }) => name);

export const read = async (name: string): Promise<Model> => Model.parse((await ask('GET', modelId(name))).json());

export const replace = async (name: string, body: unknown): Promise<Model> =>
  Model.parse((await ask('PUT', modelId(name), body)).json());

export const post = (args: unknown, headers: Record<string, string> = {}, module = 'face_recognition') =>
  gateway.ask(
    'POST',
    '/api/v1/jobs/',
    { sources: ['https://example.org/a.jpg'], modules: { [module]: args } },
    headers,
  );

export const stop = (id: unknown) => gateway.ask('POST', `/api/v1/jobs/${String(id)}/stop/`);

/** A model of its own for what changes it. */
export async function fresh(): Promise<Model> {
  const name = `m-${randomUUID().slice(0, 8)}`;
  await build(name);
  await until(async () => (await names()).includes(name));
  return read(name);
}

/** Registers the hooks that start and end the shared parts of a spec. */
export function useModelGateway(): void {
  beforeAll(async () => {
    gateway = await startGateway();
    otherWorkspace = await keyOf(randomUUID(), 'admin');
    reader = await keyOf(gateway.workspaceId, 'reader');
    await Promise.all(['cast', 'team'].map((name) => build(name)));
    await build('town', { kind: LANDMARK_MODEL });
    await until(async () => (await list()).length === 4);
  }, BOOT_MS);
  afterAll(() => gateway?.close());
}
