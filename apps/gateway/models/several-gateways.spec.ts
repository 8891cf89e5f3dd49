/** @needs servers */
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelId } from '@adit/contracts';
import { openDatabase, type Database } from '@adit/database';
import { ModelRepository } from '@adit/inference';
import { ModelStore } from '@adit/model-store';
import { FilesystemObjectStore } from '@adit/objects';
import { loadModules, writeGalleryVersion } from '@adit/modules';
import { describeWith, freshDatabase, type FreshDatabase } from '@adit/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ModelRecords } from './model-records.js';
import { Models } from './models.js';
import { ServedModels } from './served-models.js';

const GATEWAYS = 6;
const NAMES = ['cast', 'crew', 'team'];

/** The model services of a gateway, with its own connections and its own view of the folder. */
interface Gateway {
  models: Models;
  repository: ModelRepository;
  database: Database;
}

await describeWith('postgres', 'several gateways over one database', ({ postgres }) => {
  const workspaceId = randomUUID();
  const gateways: Gateway[] = [];
  let fresh: FreshDatabase;
  let folder: string;

  const build = (name: string, people: number) => {
    const shown = Array.from({ length: people }, (_, at) => ({ label: `P${at}`, embeddings: [[at + 1, 1]] }));
    return writeGalleryVersion(folder, name, shown, { embedding: { name: 'e', digest: 'e' }, dimensions: 2 });
  };
  const lists = () => Promise.all(gateways.map(({ models }) => models.list(workspaceId)));

  beforeAll(async () => {
    fresh = await freshDatabase(postgres.url);
    folder = await mkdtemp(join(tmpdir(), 'adit-several-'));
    for (const name of NAMES) await build(name, 1);
    const modules = await loadModules();
    for (let at = 0; at < GATEWAYS; at += 1) {
      const database = await openDatabase({ driver: 'postgres', url: fresh.url });
      const repository = await ModelRepository.open({ roots: [folder], settleMs: 20 });
      const served = new ServedModels(repository, modules);
      const records = new ModelRecords(database.dataSource, repository, served);
      const objects = await FilesystemObjectStore.open(join(folder, '.objects'));
      const store = new ModelStore(database.dataSource, objects);
      gateways.push({
        models: new Models(database.dataSource, served, records, store, repository),
        repository,
        database,
      });
    }
  });

  afterAll(async () => {
    for (const { repository, database } of gateways) {
      await repository.close();
      await database.close();
    }
    await fresh?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('gateways say the same of a model from the first time on', async () => {
    const [first, ...others] = await lists();
    expect(first!.map(({ name, id }) => [name, id])).toEqual(NAMES.map((name) => [name, modelId(name)]));
    for (const other of others) expect(other).toEqual(first);
  });

  it('gateways know at once of a change in one of them', async () => {
    const [one, other] = gateways as [Gateway, Gateway];
    const fields = { description: 'Ours', custom_fields: [{ a: 1 }] };
    const told = await one.models.change(workspaceId, modelId('cast'), fields);
    expect(await other.models.get(workspaceId, modelId('cast'))).toEqual(told);
    await other.models.remove(workspaceId, modelId('cast'));
    expect([...(await one.models.deletedBy(workspaceId))]).toEqual([modelId('cast')]);
    await expect(one.models.get(workspaceId, modelId('cast'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await one.models.list(randomUUID())).map(({ name }) => name)).toEqual(NAMES);
  });

  it('gateways see a deleted model again with a new version, each when it has noticed it', async () => {
    const [one, ...others] = gateways as [Gateway, ...Gateway[]];
    await build('cast', 2);
    await new Promise((resolve) => setTimeout(resolve, 30));
    await one.repository.refresh();
    expect(await one.models.get(workspaceId, modelId('cast'))).toMatchObject({ versions: [{}, {}], custom_fields: [] });
    for (const { models } of others) {
      await expect(models.get(workspaceId, modelId('cast'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    await Promise.all(others.map(({ repository }) => repository.refresh()));
    const [first, ...rest] = await lists();
    for (const list of rest) expect(list).toEqual(first);
    expect(first!.map(({ name, versions }) => [name, versions.length])).toEqual([
      ['cast', 2],
      ['crew', 1],
      ['team', 1],
    ]);
  });
});
