/** @needs weights, build */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { modelId, type Problem } from '@adit/contracts';
import { ModelRepository, readVersion } from '@adit/inference';
import { ModelStore } from '@adit/model-store';
import { writeGalleryFiles, writeGalleryVersion } from '@adit/modules';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';

const OTHER = 'e'.repeat(64);
const PEOPLE = [{ label: 'Ada', embeddings: [[1, 0, 0, 0]] }];
let gateway: TestGateway;
/** The network of faces that is installed. */
let present: string;

beforeAll(async () => {
  gateway = await startGateway();
  present = gateway.app.get(ModelRepository).resolve('face-embedding').pin.digest;
}, BOOT_MS);
afterAll(() => gateway?.close());

const madeWith = (digest: string) => ({ embedding: { name: 'face-embedding', digest }, dimensions: 4 });
const post = (model: string) =>
  gateway.ask('POST', '/api/v1/jobs/', {
    sources: ['https://example.org/a.jpg'],
    modules: { face_recognition: { model } },
  });

/** The answer to a job that names it, once it is there. */
async function answered(name: string, status: number): Promise<Problem> {
  for (const end = Date.now() + 120_000; ; await sleep(50)) {
    const answer = await post(name);
    const problem = answer.json<Problem>();
    if (answer.status === status && !/is not installed/.test(problem.detail)) return problem;
    if (Date.now() > end) throw new Error(`${answer.status} ${problem.detail}`);
  }
}

/** Stores a model like a training. */
async function trained(name: string, digest: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'adit-trained-'));
  try {
    const manifest = await writeGalleryFiles(folder, name, PEOPLE, madeWith(digest));
    const { pin, files } = await readVersion(folder, manifest, 1);
    const { workspaceId } = gateway;
    const store = gateway.app.get(ModelStore, { strict: false });
    await store.publish({ workspaceId, manifest, digest: pin.digest, folder, files });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('a gallery of an outdated embedding', () => {
  it('a gallery is refused when its maker is unknown', async () => {
    const models = join(gateway.dataDir, 'models');
    await writeGalleryVersion(models, 'unsaid', PEOPLE, madeWith(present));
    await answered('unsaid', 200);
    const file = join(models, 'unsaid/model.yaml');
    const said = await readFile(file, 'utf8');
    const unsaid = said.replace(/^embeddedWith:\n(?: .*\n)+/m, '');
    expect(unsaid).not.toBe(said);
    await writeFile(file, unsaid);
    expect(await answered('unsaid', 400)).toMatchObject({
      detail: expect.stringMatching(/another face-embedding .* "adit gallery rebuild unsaid"/),
      errors: [{ pointer: '/modules/face_recognition/model', code: 'other_embedding' }],
    });
  });

  it('a trained gallery is refused, whichever version it is, and is trained again', async () => {
    await trained('pupils', present);
    await trained('graduates', present);
    await answered('graduates', 200);
    await trained('graduates', OTHER);
    const { detail } = await answered('graduates', 400);
    expect(detail).toMatch(/graduates was made with another face-embedding .* train its dataset again/);
    await answered('pupils', 200);
    expect((await gateway.ask('GET', `/api/v1/models/${modelId('pupils', gateway.workspaceId)}/`)).status).toBe(200);
  });
});
