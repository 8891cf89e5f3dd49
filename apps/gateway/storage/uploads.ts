import { createHash, randomBytes, type Hash } from 'node:crypto';
import { Transform, type Readable } from 'node:stream';
import type { MultipartFile } from '@fastify/multipart';
import { AditError } from '@adit/contracts';
import { StorageEntryEntity } from '@adit/database';
import { storageObjectKey } from '@adit/jobs';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource, LessThan } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { contentTypeOf } from './content-type.js';
import { fileName, folderPath } from './names.js';
import { StorageTree } from './storage-tree.js';

const log = createLogger('storage');
/** An upload that has not ended by then died with its process. */
const ABANDONED_MS = 24 * 3_600_000;

/** Uploads stream from the socket to the object store; nothing of a file is kept in memory. */
@Injectable()
export class Uploads implements OnApplicationBootstrap {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(StorageTree) private readonly tree: StorageTree,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const abandoned = { uploaded: false, uploadFailed: false, isFolder: false };
    const before = LessThan(new Date(Date.now() - ABANDONED_MS));
    await this.db.manager.update(StorageEntryEntity, { ...abandoned, timeCreated: before }, { uploadFailed: true });
  }

  /**
   * Takes the one file of a multipart request. Its entry exists from the first byte, `uploaded` once all of it is stored;
   * a broken connection leaves it `upload_failed`. Throws VALIDATION, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE.
   */
  async receive(
    workspaceId: string,
    request: FastifyRequest,
    queryFolder: string | undefined,
  ): Promise<StorageEntryEntity> {
    if (!request.isMultipart()) {
      throw new AditError('UNSUPPORTED_MEDIA_TYPE', 'Send the file as multipart/form-data in the field "file".');
    }
    const fields = new Map<string, string>();
    if (queryFolder !== undefined) fields.set('folder', folderPath(queryFolder));
    let entry: StorageEntryEntity | null = null;
    try {
      for await (const part of request.parts({ limits: this.limits() })) {
        if (part.type === 'file') entry = await this.store(workspaceId, part, fields, request);
        else if (typeof part.value === 'string' && !(part.fieldname === 'folder' && queryFolder !== undefined)) {
          fields.set(part.fieldname, part.value);
        }
      }
      if (entry === null) throw missing('/file', 'Send the file in the field "file".');
      const folder = fields.get('folder');
      if (folder === undefined) throw missing('?folder', 'Name the folder to put the file in; / is the root.');
      return await this.finish(entry, folderPath(folder), fields.get('name'));
    } catch (error) {
      if (entry !== null) await this.discard(entry);
      throw error;
    }
  }

  private limits() {
    return {
      files: 1,
      fields: 8,
      fieldSize: 8 << 10,
      fileSize: this.config.maxUploadBytes,
      parts: 16,
      headerPairs: 32,
    };
  }

  private async store(
    workspaceId: string,
    part: MultipartFile,
    fields: Map<string, string>,
    request: FastifyRequest,
  ): Promise<StorageEntryEntity> {
    const folder = folderPath(fields.get('folder') ?? '/');
    const name = fileName(fields.get('name') ?? part.filename ?? '');
    await this.tree.ensureFolder(workspaceId, folder);
    // 15 random bytes are 20 characters of base64url.
    const key = randomBytes(15).toString('base64url');
    const contentType = contentTypeOf(part.mimetype, name);
    const { identifiers } = await this.db.manager.insert(StorageEntryEntity, {
      workspaceId,
      folder,
      name,
      isFolder: false,
      key,
      contentType,
    });
    const id = identifiers[0]?.['id'] as number;
    const digest = createHash('sha256');
    try {
      const body = digested(part.file, digest, request);
      const { size } = await this.objects.put(storageObjectKey(workspaceId, key), body);
      if (part.file.truncated) {
        throw new AditError('TOO_LARGE', `A file has at most ${this.config.maxUploadBytes} bytes here.`);
      }
      await this.db.manager.update(StorageEntryEntity, { id }, { size: String(size), digest: digest.digest('hex') });
    } catch (error) {
      await this.db.manager.update(StorageEntryEntity, { id }, { uploadFailed: true });
      await this.objects.delete(storageObjectKey(workspaceId, key)).catch((left: unknown) => {
        log.warn({ err: left, key }, 'a failed upload could not be removed');
      });
      throw error;
    }
    return this.db.manager.findOneByOrFail(StorageEntryEntity, { id });
  }

  /** Fields may follow the file; only now are all of them known. */
  private async finish(entry: StorageEntryEntity, folder: string, name: string | undefined) {
    const { id, workspaceId } = entry;
    await this.tree.ensureFolder(workspaceId, folder);
    const final = { folder, name: name === undefined ? entry.name : fileName(name), uploaded: true };
    const { affected } = await this.db.manager.update(StorageEntryEntity, { id }, final);
    if (affected === 0) throw new AditError('CONFLICT', 'The file was deleted while it was being uploaded.');
    return { ...entry, ...final };
  }

  /** All of it came, but the request around it was wrong: nothing stays. */
  private async discard({ id, workspaceId, key }: StorageEntryEntity): Promise<void> {
    await this.db.manager.delete(StorageEntryEntity, { id });
    if (key !== null) await this.objects.delete(storageObjectKey(workspaceId, key));
  }
}

/** Passes the file on and digests it; ends in an error when the connection breaks, never as if the file were over. */
function digested(file: Readable, digest: Hash, request: FastifyRequest): Readable {
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digest.update(chunk);
      done(null, chunk);
    },
  });
  const broken = (): void => {
    if (!request.raw.complete) through.destroy(new AditError('VALIDATION', 'The connection broke during the upload.'));
  };
  request.raw.once('close', broken);
  through.once('close', () => {
    request.raw.off('close', broken);
    // Nobody reads on when the store has failed; the rest of the request would block the connection.
    file.unpipe(through).resume();
  });
  file.once('error', (error) => through.destroy(error));
  return file.pipe(through);
}

function missing(pointer: string, message: string): AditError {
  return new AditError('VALIDATION', message, { errors: [{ pointer, code: 'missing', message }] });
}
