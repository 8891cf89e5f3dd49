import { AditError } from '@adit/contracts';
import { DatasetImportEntity } from '@adit/database';
import { deleteClass, deleteDataset } from '@adit/datasets';
import type { ObjectStore } from '@adit/objects';
import { describe, expect, it } from '@jest/globals';
import { DatasetErasures } from './dataset-erasures.js';
import { AggregatorSettings } from '../settings.js';
import { DatasetImports } from './dataset-imports.js';
import {
  useImportWorld,
  database,
  manager,
  objects,
  jpeg,
  workspaceId,
  datasetId,
  newWorkspace,
  stored,
  zipped,
  picture,
  posted,
  run,
  classes,
  objectKeys,
  meanwhile,
} from '../testing/dataset-import-world.js';

useImportWorld();

/** An object store that becomes unavailable after so many objects. */
function away(after: number): ObjectStore {
  let left = after;
  return new Proxy(objects, {
    get: (target, name: keyof ObjectStore) =>
      name !== 'put'
        ? target[name].bind(target)
        : (key: string, bytes: Buffer) => {
            left -= 1;
            if (left < 0) throw new AditError('UNAVAILABLE', 'away');
            return target.put(key, bytes);
          },
  });
}

describe('an import', () => {
  it('continues after the imported images when its process dies, and makes nothing twice', async () => {
    const paths = Array.from({ length: 130 }, (_, n) => `${n % 7}/${n}.jpg`);
    const id = await posted({ storageKey: await stored(await zipped(paths.map(picture))) });
    // The store becomes unavailable in the second batch: no failure is counted, and imported images stay.
    const broken = await run(id, away(115));
    expect(broken).toMatchObject({ state: 'processing', images: 100, attempts: 0 });
    // Objects stored by the second batch are recorded, and removed unless they are imported.
    const noted = await manager.query('SELECT 1 FROM object_removals');
    expect(noted).toHaveLength(30);
    await manager.query('UPDATE dataset_imports SET lease_until = now() WHERE id = $1', [id]);
    expect(await run(id)).toMatchObject({ state: 'completed', files: 130, images: 130, classes: 7, errors: 0 });
    const names = await manager.query(
      `SELECT e.name FROM dataset_images i JOIN storage_entries e ON e.key = i.storage_key WHERE i.dataset_id = $1 ORDER BY i.seq`,
      [datasetId],
    );
    expect(new Set(names.map(({ name }: { name: string }) => name)).size).toBe(130);
    expect(await manager.query('SELECT 1 FROM object_removals')).toHaveLength(30);
    await manager.query('DELETE FROM object_removals');
  });

  it('continues in a workspace whose quota just suffices, and no more', async () => {
    const paths = Array.from({ length: 110 }, (_, n) => `Ada/${n}.jpg`);
    const bytes = await zipped(paths.map(picture));
    const id = await posted({ storageKey: await stored(bytes) });
    const quota = { storageBytes: bytes.length + 111 * jpeg.length };
    expect(await run(id, away(105), quota)).toMatchObject({ state: 'processing', images: 100 });
    await manager.query('DELETE FROM object_removals');
    await manager.query('UPDATE dataset_imports SET lease_until = now() WHERE id = $1', [id]);
    expect(await run(id, objects, quota)).toMatchObject({ state: 'completed', images: 110, errorMsg: null });
  });

  it('recreates a class that is deleted meanwhile, once, and loses no picture', async () => {
    // Each of three batches has a picture.
    const files = Array.from({ length: 201 }, (_, n) =>
      n % 100 === 0 ? picture(`Ada/${n}.jpg`) : { path: `Ada/${n}.txt`, body: Buffer.from('text') },
    );
    const id = await posted({ storageKey: await stored(await zipped(files)) });
    const deleting = meanwhile(2, async () => {
      const [row]: { id: string }[] = await manager.query('SELECT id FROM dataset_classes WHERE dataset_id = $1', [
        datasetId,
      ]);
      await deleteClass(database.dataSource, { workspaceId, datasetId, classId: row?.id ?? '' });
    });
    expect(await run(id, deleting)).toMatchObject({ state: 'completed', images: 3, classes: 2, errors: 198 });
    expect(await classes()).toEqual([{ label: 'Ada', images: 2 }]);
  });

  /** @hardening overload: An import of many files holds up other workspaces */
  it('yields to a small one of another workspace, and continues after its imported images', async () => {
    /** An importer whose time slice ends at once. */
    class Brief extends DatasetImports {
      protected override readonly timeSliceMs = 0;
    }
    // Each of four batches has a picture.
    const files = Array.from({ length: 400 }, (_, n) =>
      n % 100 === 0 ? picture(`Ada/${n}.jpg`) : { path: `Ada/${n}.txt`, body: Buffer.from('text') },
    );
    const large = await posted({ storageKey: await stored(await zipped(files)) });
    await newWorkspace();
    const small = await posted({ storageKey: await stored(await zipped([picture('Bea/1.jpg')])) });
    const imports = new Brief(database.dataSource, objects, AggregatorSettings.parse({}));
    await imports.idle();
    await imports.onApplicationShutdown();
    const row = (id: string) => manager.findOneByOrFail(DatasetImportEntity, { id });
    const [first, second] = [await row(small), await row(large)];
    expect(first).toMatchObject({ state: 'completed', images: 1, attempts: 1 });
    expect(second).toMatchObject({ state: 'completed', images: 4, classes: 1, errors: 396, attempts: 1 });
    expect(first.timeCompleted?.getTime()).toBeLessThan(second.timeCompleted?.getTime() ?? 0);
  });

  it('survives many restarts while it makes progress, and is given up when it does not', async () => {
    const id = await posted({ storageKey: await stored(await zipped([picture('Ada/1.jpg')])) });
    const died = `UPDATE dataset_imports SET state = 'processing', attempts = 3, lease_until = now(), cursor = $2 WHERE id = $1`;
    await manager.query(died, [id, '-1']);
    expect(await run(id)).toMatchObject({ state: 'completed', images: 1, countedFrom: '-1' });
    const stuck = await posted({ storageKey: 'gone' });
    await manager.query(died, [stuck, null]);
    const failed = await run(stuck);
    expect([failed.state, failed.errorMsg]).toEqual(['failed', expect.stringContaining('ended each time')]);
  });

  it('leaves nothing when the dataset is deleted meanwhile', async () => {
    const bytes = await zipped(Array.from({ length: 120 }, (_, n) => picture(`Ada/${n}.jpg`)));
    const id = await posted({ storageKey: await stored(bytes) });
    await run(
      id,
      meanwhile(110, () => deleteDataset(database.dataSource, workspaceId, datasetId)),
    );
    const erasures = new DatasetErasures(database.dataSource);
    await erasures.idle();
    await erasures.onApplicationShutdown();
    const left = ['dataset_images', 'dataset_imports', 'dataset_classes'].map((table) =>
      manager.query(`SELECT 1 FROM ${table} WHERE dataset_id = $1`, [datasetId]),
    );
    expect(await Promise.all(left)).toEqual([[], [], []]);
    // Objects of the first batch are removed by the list, those of the second are gone; the archive is left.
    const files = await manager.query('SELECT 1 FROM storage_entries WHERE workspace_id = $1 AND NOT is_folder', [
      workspaceId,
    ]);
    expect([files.length, (await objectKeys()).length]).toEqual([1, 101]);
    expect(await manager.query('SELECT 1 FROM object_removals')).toEqual([]);
  });

  it('keeps the imported images when it is deleted meanwhile, and nothing else', async () => {
    const bytes = await zipped(Array.from({ length: 120 }, (_, n) => picture(`Ada/${n}.jpg`)));
    const id = await posted({ storageKey: await stored(bytes) });
    const store = meanwhile(110, () => manager.delete(DatasetImportEntity, { id }));
    const imports = new DatasetImports(database.dataSource, store, AggregatorSettings.parse({}));
    await imports.idle();
    await imports.onApplicationShutdown();
    expect(await manager.countBy(DatasetImportEntity, { datasetId })).toBe(0);
    expect(await classes()).toEqual([{ label: 'Ada', images: 100 }]);
    // The archive and a file for each image are left.
    expect((await objectKeys()).length).toBe(101);
    expect(await manager.query('SELECT 1 FROM object_removals')).toEqual([]);
  });
});
