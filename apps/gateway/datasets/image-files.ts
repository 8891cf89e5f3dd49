import { AditError, DatasetImage, storable } from '@adit/contracts';
import { StorageEntryEntity } from '@adit/database';
import { storageKeyOf, type ClassPlace } from '@adit/datasets';
import { keyOfFile } from '@adit/storage';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource, type EntityManager } from 'typeorm';
import { sentBack } from '../http/sent-back.js';
import { detailsOf } from '../http/validation.js';
import { Uploads } from '../storage/uploads.js';
import { ImageFields } from './image-routes.js';

interface ReceivedImage {
  storageKey: string;
  active: boolean;
  notes: string;
}

/** The picture files behind images. */
@Injectable()
export class ImageFiles {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Uploads) private readonly uploads: Uploads,
  ) {}

  /** The storage key of an uploaded picture of the workspace. Throws SOURCE_REFUSED, which points at `/file_uri`. */
  async keyOf(workspaceId: string, uri: string): Promise<string> {
    const key = storageKeyOf(uri);
    if (key === null) throw refused(`${uri.slice(0, 200)} is no address of an uploaded file (storage://…).`);
    const entry = await this.db.manager.findOneBy(StorageEntryEntity, { workspaceId, key });
    if (entry === null) throw refused(`storage://${key} does not exist.`);
    if (!entry.uploaded) throw refused(`storage://${key} has not been uploaded completely.`);
    if (!isPicture(entry)) throw refused(`${entry.name} is no picture.`);
    return key;
  }

  /** Stores the picture of a form, in one transaction with `keep`. Throws VALIDATION for what is no picture. */
  async receive(
    { workspaceId, datasetId, classId }: ClassPlace,
    request: FastifyRequest,
    keep: (manager: EntityManager, received: ReceivedImage) => Promise<void>,
  ): Promise<void> {
    const place = { folder: `/datasets/${datasetId}/${classId}`, if_exists: 'rename' };
    await this.uploads.receiveForm(workspaceId, request, place, async (fields, manager, file) => {
      if (!isPicture(file)) {
        const message = `${file.name} is no picture.`;
        throw new AditError('VALIDATION', message, { errors: [{ pointer: '/file', code: 'no_picture', message }] });
      }
      const parsed = ImageFields.check(storable).safeParse(sentBack(ImageFields, DatasetImage)(fields));
      if (!parsed.success) {
        const errors = parsed.error.issues.flatMap((issue) => detailsOf({ ...issue, path: ['body', ...issue.path] }));
        throw new AditError('VALIDATION', errors.map(({ message }) => message).join(' '), { errors });
      }
      await keep(manager, { storageKey: keyOfFile(file), ...parsed.data });
    });
  }
}

function isPicture({ contentType }: StorageEntryEntity): boolean {
  return contentType?.startsWith('image/') === true;
}

function refused(message: string): AditError {
  return new AditError('SOURCE_REFUSED', message, {
    errors: [{ pointer: '/file_uri', code: 'source_refused', message }],
  });
}
