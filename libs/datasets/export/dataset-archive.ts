import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { AditError, elementAt, nullIfGone } from '@adit/contracts';
import type { DatasetEntity } from '@adit/database';
import { columnSelection, columnsOf, DatasetClassEntity, DatasetImageEntity, StorageEntryEntity } from '@adit/database';
import { displayedSize, PICTURE_FORMATS } from '@adit/media';
import type { ObjectStore } from '@adit/objects';
import { openStoredFile } from '@adit/storage';
import { In, type EntityManager } from 'typeorm';
import type { ArchiveList } from './archive-list.js';
import { CocoList } from './coco-list.js';
import { FolderNames } from './folder-names.js';
import { MAX_PICTURE_BYTES } from '../import/import-item.js';
import { MAX_MANIFEST_BYTES } from '../import/manifest.js';
import { ManifestList } from './manifest-list.js';

/** Classes, and images of one, that are read together. */
const PAGE = 200;

/** A file of an archive. */
export interface ArchiveEntry {
  path: string;
  body: Buffer | Readable;
  compress: boolean;
}

interface Source {
  manager: EntityManager;
  objects: ObjectStore;
  dataset: DatasetEntity;
  /** Called after each page with the finished part, 0..1. */
  progress: (share: number) => Promise<void>;
}

/** Exports a dataset losslessly: pictures by class, and `dataset.json`, from which an import restores it. */
export function datasetArchive(source: Source): AsyncGenerator<ArchiveEntry> {
  return archive(source, new ManifestList(source.dataset));
}

/** Exports with `annotations.json` in COCO's format: a category per class, with boxes of whole pictures. */
export function cocoArchive(source: Source): AsyncGenerator<ArchiveEntry> {
  return archive(source, new CocoList(source.dataset));
}

async function* archive(source: Source, list: ArchiveList): AsyncGenerator<ArchiveEntry> {
  const { manager, dataset, progress } = source;
  const { id: datasetId, workspaceId } = dataset;
  const names = new FolderNames();
  const [sum]: { images: number }[] = await manager.query(
    'SELECT coalesce(sum(images), 0)::int AS images FROM dataset_classes WHERE dataset_id = $1 AND time_deleted IS NULL',
    [datasetId],
  );
  let done = 0;
  for await (const row of rowsOf(manager, DatasetClassEntity, 'dataset_id = $1 AND time_deleted IS NULL', datasetId)) {
    list.class(row);
    const folder = names.of(row.label);
    let number = 0;
    for await (const images of pagesOf(manager, DatasetImageEntity, 'class_id = $1', row.id)) {
      const keys = images.map(({ storageKey }) => storageKey);
      const entries = await manager.findBy(StorageEntryEntity, { workspaceId, key: In(keys), uploaded: true });
      for (const image of images) {
        const entry = entries.find(({ key }) => key === image.storageKey);
        number += 1;
        if (entry === undefined) {
          list.missing(image);
          continue;
        }
        const path = `${folder}/${String(number).padStart(5, '0')}${extensionOf(entry)}`;
        // It may be deleted after its page was read.
        const stream = await openStoredFile(manager, source.objects, entry).catch(nullIfGone);
        if (stream === null) {
          list.missing(image);
          continue;
        }
        if (list.needsSizes && Number(entry.size) <= MAX_PICTURE_BYTES) {
          const body = await buffer(stream);
          // eslint-disable-next-line adit/no-lost-errors -- what is in memory fails for what it is alone
          list.image({ path, row: image, size: await displayedSize(body).catch(() => null) });
          yield { path, body, compress: false };
        } else {
          list.image({ path, row: image, size: null });
          yield { path, body: stream, compress: false };
        }
      }
      done += images.length;
      await progress(done / Math.max(1, sum?.images ?? 0));
    }
  }
  const body = Buffer.from(list.text());
  if (body.length > MAX_MANIFEST_BYTES) {
    throw new AditError('TOO_LARGE', 'The dataset has more images than one archive can list: export it in parts.');
  }
  yield { path: list.file, body, compress: true };
}

async function* rowsOf<E extends { seq: string }>(
  manager: EntityManager,
  entity: new () => E,
  where: string,
  value: string,
): AsyncGenerator<E> {
  for await (const page of pagesOf(manager, entity, where, value)) yield* page;
}

/** Yields rows in order, including ones added meanwhile. */
async function* pagesOf<E extends { seq: string }>(
  manager: EntityManager,
  entity: new () => E,
  where: string,
  value: string,
): AsyncGenerator<E[]> {
  const { tableName } = manager.connection.getMetadata(entity);
  for (let after = '0'; ;) {
    const rows: E[] = await manager.query(
      `SELECT ${columnSelection(columnsOf(entity), 'r')} FROM ${tableName} r WHERE ${where} AND seq > $2 ORDER BY seq LIMIT ${PAGE}`,
      [value, after],
    );
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE) return;
    after = elementAt(rows, -1).seq;
  }
}

function extensionOf({ contentType }: StorageEntryEntity): string {
  const format = PICTURE_FORMATS.find((one) => one.contentType === contentType);
  return format?.extensions[0] ?? '';
}
