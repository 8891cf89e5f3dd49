import { MAX_IMAGES_PER_CLASS } from '@adit/datasets';
import { describe, expect, it } from '@jest/globals';
import {
  useImportWorld,
  manager,
  objects,
  jpeg,
  datasetId,
  stored,
  zipped,
  picture,
  posted,
  run,
  imported,
  errorsOf,
  classes,
  objectKeys,
  meanwhile,
} from '../testing/dataset-import-world.js';

useImportWorld();

describe('an import', () => {
  it('keeps the imported images when the workspace becomes full meanwhile, and says so', async () => {
    const bytes = await zipped(Array.from({ length: 120 }, (_, n) => picture(`Ada/${n}.jpg`)));
    const id = await posted({ storageKey: await stored(bytes) });
    const quota = { storageBytes: bytes.length + 121 * jpeg.length };
    const other = Buffer.alloc(2 * jpeg.length);
    const filling = meanwhile(110, () => stored(other, '/', 'other.bin', 'application/octet-stream'));
    const made = await run(id, filling, quota);
    expect(made).toMatchObject({ state: 'failed', files: 120, images: 100, classes: 1, errors: 0 });
    expect(made.errorMsg).toMatch(
      /^The files, transcripts and recordings of this workspace may have \d+ bytes together; \d+ are left\.$/,
    );
    expect(made.timeExpiration?.getTime()).toBeGreaterThan(Date.now());
    expect(await classes()).toEqual([{ label: 'Ada', images: 100 }]);
    // The archive, the other file, and a file for each image are left.
    expect((await objectKeys()).length).toBe(102);
    expect(await manager.query('SELECT 1 FROM object_removals')).toEqual([]);
  });

  it('stays within the quota of its workspace, before anything is read and later', async () => {
    const key = await stored(await zipped([picture('Ada/1.jpg'), picture('Ada/2.jpg')]));
    const id = await posted({ storageKey: key });
    const refused = await run(id, objects, { storageBytes: jpeg.length * 3 });
    expect([refused.state, refused.images]).toEqual(['failed', 0]);
    expect(refused.errorMsg).toContain('may be stored');
    expect(await classes()).toEqual([]);
  });

  it('ends at the limit of its dataset, says so, and keeps the imported images', async () => {
    const paths = Array.from({ length: 110 }, (_, n) => `Ada/${n}.jpg`);
    const id = await posted({ storageKey: await stored(await zipped(paths.map(picture))) });
    const full = await run(id, objects, { maxDatasetImages: 105 });
    expect(full).toMatchObject({ state: 'failed', images: 100, classes: 1 });
    expect(full.errorMsg).toBe('A dataset has at most 105 images; delete some, or make another dataset.');
    expect(await classes()).toEqual([{ label: 'Ada', images: 100 }]);
    const many = await zipped(['Ann', 'Bob', 'Cyd'].map((label) => picture(`${label}/1.jpg`)));
    const beyond = await run(await posted({ storageKey: await stored(many) }), objects, { maxClasses: 3 });
    expect([beyond.state, beyond.errorMsg]).toEqual([
      'failed',
      'A dataset has at most 3 classes; delete some, or make another dataset.',
    ]);
    expect(await classes()).toHaveLength(1);
    // The archives and a file for each image are left.
    expect((await objectKeys()).length).toBe(102);
    await manager.query('DELETE FROM object_removals');
  });

  it('does not exceed the limit of a class', async () => {
    const { id: first } = await imported({ storageKey: await stored(await zipped([picture('Ada/1.jpg')])) });
    expect(first).toBeDefined();
    await manager.query('UPDATE dataset_classes SET images = $2 WHERE dataset_id = $1', [
      datasetId,
      MAX_IMAGES_PER_CLASS - 1,
    ]);
    const made = await imported({
      storageKey: await stored(await zipped([picture('Ada/2.jpg'), picture('Ada/3.jpg')])),
    });
    expect(made).toMatchObject({ state: 'completed', images: 1, errors: 1 });
    expect(await errorsOf(made.id)).toEqual(['Ada/3.jpg class_full']);
    // Two archives and two pictures are left, nothing of the third.
    expect([(await objectKeys()).length, await manager.query('SELECT 1 FROM object_removals')]).toEqual([4, []]);
  });
});
