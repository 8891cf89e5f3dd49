import { AditError, LIFETIME_SECONDS } from '@adit/contracts';
import { DatasetImportEntity, DatasetImportErrorEntity, inTransaction } from '@adit/database';
import { isWanted, releaseRow, updateHeld, type ClaimedTask } from '@adit/leases';
import type { Removal } from '@adit/object-removals';
import type { ObjectStore } from '@adit/objects';
import { leftOf, lockTree, storageQuota } from '@adit/storage';
import { raiseResourceEvents } from '@adit/webhooks';
import type { DataSource, EntityManager } from 'typeorm';
import { MAX_IMAGES_PER_CLASS, classFull, insertImagesWithin } from '../images.js';
import { batches, type Batch, type FaultyItem, type ReadyItem } from './batch.js';
import { ClassFinder, keyOfClass } from './class-finder.js';
import type { ImportSource } from './import-item.js';
import { ImportedFiles } from './imported-files.js';
import { openImportSource } from './open-source.js';
import { presentImport } from './present-import.js';
import type { DatasetSettings } from '../settings.js';

/** Recorded errors; further ones are only counted. */
const MAX_ERRORS = 10_000;
/** Recorded characters of a file's name. */
const MAX_NAME_LENGTH = 500;
/** Classes that are created per transaction. */
const CLASSES_PER_TRANSACTION = 500;
/** Lifetime of the record of an import. */
const KEPT = `interval '${LIFETIME_SECONDS.datasetImport} seconds'`;

/** Resources of the importing process. */
export interface ImportPlaces extends Pick<DatasetSettings, 'maxClasses' | 'maxDatasetImages'> {
  db: DataSource;
  objects: ObjectStore;
  /** Storage quota in bytes of workspaces without one of their own; 0 is unlimited. */
  storageBytes: number;
  /** Called between batches: tells whether another import has to go first. Throws when the process ends. */
  mustYield: () => Promise<boolean>;
}

/**
 * Imports pictures into a dataset, one transaction per batch of files, which also stores the cursor: a restart after a
 * crash creates nothing twice. Returns early when it was deleted or taken by another process, and defers the rest when
 * another import has to go first. Throws errors that end it.
 */
export async function importDataset(task: ClaimedTask, places: ImportPlaces): Promise<void> {
  const { db, objects, storageBytes, mustYield } = places;
  const row = await db.manager.findOneByOrFail(DatasetImportEntity, task.key);
  const quota = await storageQuota(db.manager, row.workspaceId, 'uploads', storageBytes);
  const source = await openImportSource(row, { manager: db.manager, objects, left: leftOf(quota) });
  await refuseOtherType(db.manager, row, source);
  if (!(await updateHeld(db, task, 'files = $1', [source.files]))) return;
  const running = new RunningImport(task, row, places);
  if (row.cursor === null && !(await running.makeClasses(source))) return;
  for await (const batch of batches(source.items(row.cursor))) {
    if (!(await running.take(batch))) return;
    if (await mustYield()) return void (await releaseRow(db, task, 0, { blamed: false }));
  }
  await running.complete(source);
}

/** Throws MEDIA_INVALID for an archive of another type. */
async function refuseOtherType(db: EntityManager, row: DatasetImportEntity, { type }: ImportSource): Promise<void> {
  if (type === null) return;
  const [dataset]: { type: string }[] = await db.query('SELECT type FROM datasets WHERE id = $1', [row.datasetId]);
  if (dataset === undefined || dataset.type === type) return;
  throw new AditError(
    'MEDIA_INVALID',
    `The archive is a dataset of type ${type}, this one is of type ${dataset.type}.`,
  );
}

class RunningImport {
  private readonly classes: ClassFinder;
  private readonly files: ImportedFiles;

  constructor(
    private readonly task: ClaimedTask,
    private readonly row: DatasetImportEntity,
    private readonly places: ImportPlaces,
  ) {
    this.classes = new ClassFinder(row, places.maxClasses);
    this.files = new ImportedFiles(row, places);
  }

  /** Creates the classes of the source, with or without pictures. False when another process has taken over. */
  async makeClasses({ classes }: ImportSource): Promise<boolean> {
    for (let at = 0; at < classes.length; at += CLASSES_PER_TRANSACTION) {
      await this.places.mustYield();
      const some = classes.slice(at, at + CLASSES_PER_TRANSACTION);
      const isMine = await inTransaction(this.places.db, async (manager) => {
        if (!(await isWanted(manager, this.task))) return false;
        await lockTree(manager, this.row.workspaceId);
        const { made } = await this.classes.find(manager, some);
        return updateHeld(manager, this.task, 'classes = classes + $1', [made]);
      });
      if (!isMine) return false;
    }
    return true;
  }

  /** Stores the pictures of a batch and creates its images. False when another process has taken over. */
  async take(batch: Batch): Promise<boolean> {
    const stored = await this.files.store(batch.ready);
    try {
      return await inTransaction(this.places.db, (manager) => this.write(manager, batch, stored));
    } finally {
      await this.files.forget(stored);
    }
  }

  private async write(manager: EntityManager, batch: Batch, stored: readonly Removal[]): Promise<boolean> {
    if (!(await isWanted(manager, this.task))) return false;
    await lockTree(manager, this.row.workspaceId);
    const { refused, ready } = await this.files.check(manager, batch.ready);
    const wanted = ready.map((item) => item.class);
    const { classes, made } = await this.classes.find(manager, wanted);
    const faulty = [...batch.faulty, ...refused];
    const taken: ReadyItem[] = [];
    // One class may be found both by its reference and by its label.
    for (const { id, images: before } of new Map([...classes.values()].map((found) => [found.id, found])).values()) {
      const all = ready.filter((item) => classes.get(keyOfClass(item.class))?.id === id);
      const fitting = all.slice(0, Math.max(0, MAX_IMAGES_PER_CLASS - before));
      const full = { code: 'class_full', message: classFull().message };
      faulty.push(...all.slice(fitting.length).map(({ name }) => ({ name, ...full })));
      await this.insert(manager, id, fitting);
      taken.push(...fitting);
    }
    await this.noteErrors(manager, faulty);
    await this.files.kept(manager, stored, taken);
    const set = 'cursor = $1, images = images + $2, classes = classes + $3, errors = errors + $4';
    return updateHeld(manager, this.task, set, [batch.cursor, taken.length, made, faulty.length]);
  }

  private async insert(manager: EntityManager, classId: string, items: readonly ReadyItem[]): Promise<void> {
    if (items.length === 0) return;
    const { workspaceId, datasetId } = this.row;
    const place = { workspaceId, datasetId, classId };
    const images = await this.files.place(manager, place, items);
    await insertImagesWithin(manager, place, images, this.places.maxDatasetImages);
  }

  private async noteErrors(manager: EntityManager, faulty: readonly FaultyItem[]): Promise<void> {
    const { id: importId } = this.row;
    const { errors } = await manager.findOneByOrFail(DatasetImportEntity, { id: importId });
    const rows = faulty.slice(0, Math.max(0, MAX_ERRORS - errors)).map(({ name, code, message }, at) => ({
      ...{ importId, position: errors + at, code, message },
      file: name.slice(0, MAX_NAME_LENGTH).replace(/[\0\p{Cs}]/gu, '\uFFFD'),
    }));
    if (rows.length > 0) await manager.insert(DatasetImportErrorEntity, rows);
  }

  /** Throws MEDIA_INVALID when no picture could be imported, except for an export of classes without any. */
  async complete({ classes }: ImportSource): Promise<void> {
    const { id } = this.row;
    const { images, errors } = await this.places.db.manager.findOneByOrFail(DatasetImportEntity, { id });
    if (images === 0 && (errors > 0 || classes.length === 0)) {
      const [first] = await this.places.db.manager.find(DatasetImportErrorEntity, {
        where: { importId: id },
        order: { position: 'ASC' },
        take: 1,
      });
      const example = first === undefined ? '' : ` ${first.file}: ${first.message}`;
      const what = errors === 0 ? 'There is nothing to import.' : `None of ${errors} files could be imported.`;
      throw new AditError('MEDIA_INVALID', `${what}${example}`);
    }
    const set = `state = 'completed', lease_until = NULL, error_msg = NULL, time_completed = now(), time_expiration = now() + ${KEPT}`;
    await inTransaction(this.places.db, async (manager) => {
      if (!(await updateHeld(manager, this.task, set))) return;
      const row = await manager.findOneByOrFail(DatasetImportEntity, { id });
      const completed = { event: 'svc.dataset.import.on_completed' as const, data: { import: presentImport(row) } };
      await raiseResourceEvents(manager, row, [completed]);
    });
  }
}

/**
 * Handles an import whose attempts are used up: it continues if it has progressed since they were counted, so that many
 * restarts do not end a long one; else it fails.
 */
export async function giveImportUp(db: DataSource, task: ClaimedTask, message: string): Promise<void> {
  const row = await db.manager.findOneBy(DatasetImportEntity, task.key);
  if (row !== null && row.cursor !== row.countedFrom && task.attempt >= 3) {
    await updateHeld(db, task, 'attempts = 0, counted_from = cursor, lease_until = now()');
  } else await failImport(db, task, message);
}

export async function failImport(db: DataSource, task: ClaimedTask, message: string): Promise<void> {
  const set = `state = 'failed', lease_until = NULL, error_msg = $1, time_completed = now(), time_expiration = now() + ${KEPT}`;
  await updateHeld(db, task, set, [message]);
}
