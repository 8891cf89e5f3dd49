import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { AditError } from '@adit/contracts';
import { databaseConfig, DatabaseSettings, openDatabase } from '@adit/database';
import { readManifest, readVersion } from '@adit/inference';
import { ModelStore } from '@adit/model-store';
import { pulledFiles, pullModel, type PullOptions } from '@adit/models';
import { objectsConfig, ObjectsSettings, openObjectStore } from '@adit/objects';
import { BaseConfig, configureLogging, loadConfig } from '@adit/runtime';
import { z } from 'zod';

const SharedConfig = z.object({ ...BaseConfig.shape, ...DatabaseSettings.shape, ...ObjectsSettings.shape });

/**
 * Puts a model whose weights do not come with Adit into the repository that all processes of an installation share, for every
 * workspace; nothing is fetched for one that is there. Returns the names of the models. Throws VALIDATION where the database is
 * embedded, else as `pullModel`.
 */
export async function pullShared(
  name: string,
  options: Omit<PullOptions, 'name' | 'modelsDir'>,
): Promise<{ models: string[]; done: string }> {
  const config = loadConfig(SharedConfig);
  configureLogging({ level: config.logLevel, format: config.logFormat, to: 'stderr' });
  if (config.databaseDriver === 'pglite') {
    throw new AditError(
      'VALIDATION',
      '--shared is for an installation on PostgreSQL (DATABASE_DRIVER, DATABASE_URL); without it the model comes into the folder of models.',
    );
  }
  const dataDir = resolve(config.dataDir);
  const { dataSource, close } = await openDatabase(databaseConfig(config, dataDir, 'adit-model-pull'));
  const objects = await openObjectStore(objectsConfig(config, dataDir));
  const folder = await mkdtemp(join(tmpdir(), 'adit-pull-'));
  try {
    const store = new ModelStore(dataSource, objects);
    if (pulledFiles(name).size > 0 && (await isStored(store, name)))
      return { models: [...pulledFiles(name).keys()], done: 'are in the shared repository already' };
    const { models, version } = await pullModel({ ...options, name, modelsDir: folder });
    for (const model of models) await publish(store, folder, { name: model, version });
    return { models, done: 'checked; in the shared repository, for all workspaces' };
  } finally {
    await rm(folder, { recursive: true, force: true });
    await close();
  }
}

/** Tells whether jobs can name all of it, file by file. */
async function isStored(store: ModelStore, name: string): Promise<boolean> {
  const versions = (await store.versions()).filter(({ workspaceId, timeRetired }) => !workspaceId && !timeRetired);
  return [...pulledFiles(name)].every(([model, wanted]) =>
    versions.some(
      (version) =>
        version.name === model &&
        wanted.every(({ file, sha256 }) => version.files.some((each) => each.name === file && each.sha256 === sha256)),
    ),
  );
}

async function publish(
  store: ModelStore,
  modelsDir: string,
  { name, version }: { name: string; version: number },
): Promise<void> {
  const found = await readManifest(modelsDir, name);
  if (found === null) throw new AditError('INTERNAL', `${name} came without its manifest.`);
  const { defaultVersion: _, ...manifest } = { ...found, sha256: {} };
  const folder = join(modelsDir, name, String(version));
  const { pin, files } = await readVersion(folder, manifest, 1);
  await store.publish({ workspaceId: null, manifest, digest: pin.digest, folder, files, changelog: 'adit model pull' });
}
