import { createHash, type Hash } from 'node:crypto';
import { Transform, type Readable } from 'node:stream';
import type { MultipartFile } from '@fastify/multipart';
import { AditError } from '@adit/contracts';
import type { StorageEntryEntity } from '@adit/database';
import {
  fileName,
  folderPath,
  keyOfFile,
  leftOf,
  storageFull,
  storageObjectKey,
  type Place,
  type StorageQuota,
} from '@adit/storage';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger, sha256Of } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { formFault, formParts } from '../http/bodies/form-parts.js';
import { UploadEntries, type WithFile } from './upload-entries.js';

const log = createLogger('storage');

const IF_EXISTS = ['refuse', 'replace', 'rename'] as const;
export const IfExistsChoice = z.enum(IF_EXISTS).meta({
  id: 'IfExists',
  description: 'Action if the folder has a file of that name: refuse it (409), replace it, or rename the new one',
  // No default of zod's: a query that says nothing must not outdo a field of the form.
  default: 'refuse',
});
type IfExists = (typeof IF_EXISTS)[number];

/** Bytes of a form around its file. */
const FORM_BYTES = 64 << 10;

/** Fields of a form, in the query or before or behind its file. */
type FormFields = Partial<Record<'folder' | 'name' | 'if_exists', string>>;

/** Uploads in one request stream from the socket to the object store; nothing of a file is kept in memory. */
@Injectable()
export class Uploads {
  constructor(
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(UploadEntries) private readonly entries: UploadEntries,
  ) {}

  /**
   * Takes the one file of a multipart request. Its entry exists from the first byte, `uploaded` once all of it is stored;
   * a broken connection leaves it `upload_failed`. What the query says counts more than fields. Throws VALIDATION,
   * CONFLICT when the name is taken, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE.
   */
  async receive(workspaceId: string, request: FastifyRequest, query: FormFields): Promise<StorageEntryEntity> {
    return this.receiveForm(workspaceId, request, query);
  }

  /** The same for a form that says more than where the file is put: `also` checks its fields, and uses the file. */
  async receiveForm(
    workspaceId: string,
    request: FastifyRequest,
    query: FormFields,
    also?: (fields: Record<string, string | undefined>, ...file: Parameters<WithFile>) => Promise<void>,
  ): Promise<StorageEntryEntity> {
    const fields: Record<string, string | undefined> = {};
    const known = (): FormFields => ({ ...fields, ...withoutUndefined(query) });
    check(known());
    let entry: StorageEntryEntity | null = null;
    try {
      for await (const part of formParts(request, 'the file in the field "file"', this.limits())) {
        if (part.type === 'file') entry = await this.store(workspaceId, part, known(), request);
        else if (typeof part.value === 'string') fields[part.fieldname] = part.value;
      }
      if (entry === null) throw missing('/file', 'Send the file in the field "file".');
      const { folder, name } = known();
      if (folder === undefined) throw missing('?folder', 'Name the folder to put the file in; / is the root.');
      // Fields may follow the file; only now are all of them known.
      const place = { workspaceId, folder: folderPath(folder), name: name === undefined ? entry.name : fileName(name) };
      return await this.entries.finish(entry, { ...place, ...asTaken(known()) }, async (...file) =>
        also?.(fields, ...file),
      );
    } catch (error) {
      if (entry !== null) await this.giveUp(entry, error, request.raw.complete);
      throw error;
    }
  }

  /** A file that Adit itself puts there, under the next free name; nothing of it stays when `also` throws. Throws STORAGE_FULL. */
  async keep(place: Place, bytes: Buffer, claimedType: string, also: WithFile): Promise<void> {
    const asked = { ...place, replaces: false, renames: true };
    const entry = await this.entries.begin({ ...asked, claimedType }, false);
    try {
      const { size } = await this.objects.put(storageObjectKey(place.workspaceId, keyOfFile(entry)), bytes);
      Object.assign(entry, { size: String(size), digest: sha256Of(bytes) });
      await this.entries.finish(entry, asked, also);
    } catch (error) {
      await this.entries.discard(entry);
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
    };
  }

  private async store(
    workspaceId: string,
    part: MultipartFile,
    { folder, name, if_exists }: FormFields,
    request: FastifyRequest,
  ): Promise<StorageEntryEntity> {
    // A part of bytes without a name is a file, too, whatever its type says.
    const place = { workspaceId, folder: folderPath(folder ?? '/'), name: fileName(name ?? (part.filename || '')) };
    const upload = { ...place, claimedType: part.mimetype, ...asTaken({ if_exists }) };
    // Before gigabytes are sent where that can be known; in the end it is checked in any case.
    const quota = await this.entries.quota(upload);
    if (Number(request.headers['content-length'] ?? 0) - FORM_BYTES > leftOf(quota)) throw storageFull(quota);
    const entry = await this.entries.begin(upload, folder !== undefined && name !== undefined);
    const digest = createHash('sha256');
    try {
      const body = digested(part.file, digest, request, quota);
      const { size } = await this.objects.put(storageObjectKey(workspaceId, keyOfFile(entry)), body);
      if (part.file.truncated) {
        throw new AditError('TOO_LARGE', `A file has at most ${this.config.maxUploadBytes} bytes here.`);
      }
      return Object.assign(entry, { size: String(size), digest: digest.digest('hex') });
    } catch (error) {
      await this.fail(entry);
      throw error;
    }
  }

  /** All of the file came. When the request around it was wrong, nothing stays; when it broke off, that shows. */
  private async giveUp(entry: StorageEntryEntity, error: unknown, isComplete: boolean): Promise<void> {
    const { code } = AditError.from(error);
    // Nothing of it is left then.
    if (code === 'CONFLICT' || code === 'STORAGE_FULL') return;
    if (code === 'VALIDATION' && isComplete) await this.entries.discard(entry);
    else await this.fail(entry);
  }

  private async fail(entry: StorageEntryEntity): Promise<void> {
    await this.entries.fail(entry).catch((error: unknown) => {
      log.warn({ err: error, entry: entry.id }, 'a failed upload could not be marked; it will be in a while');
    });
  }
}

/** Throws VALIDATION for what can be known to be wrong before a file is read. */
function check({ folder, name, if_exists }: FormFields): void {
  if (folder !== undefined) folderPath(folder);
  if (name !== undefined) fileName(name, '?name');
  ifExists({ if_exists });
}

function ifExists({ if_exists: said = 'refuse' }: Pick<FormFields, 'if_exists'>): IfExists {
  const known = IF_EXISTS.find((one) => one === said);
  if (known !== undefined) return known;
  const message = `if_exists is one of ${IF_EXISTS.join(', ')}.`;
  throw new AditError('VALIDATION', message, { errors: [{ pointer: '/if_exists', code: 'invalid_value', message }] });
}

/** Returns how a taken name is treated. */
export function asTaken(fields: Pick<FormFields, 'if_exists'>): { replaces: boolean; renames: boolean } {
  const said = ifExists(fields);
  return { replaces: said === 'replace', renames: said === 'rename' };
}

/** Passes the file on and digests it; ends in an error when the connection breaks, never as if the file were over. */
function digested(file: Readable, digest: Hash, request: FastifyRequest, quota: StorageQuota): Readable {
  let left = leftOf(quota);
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      if (left < 0) return done(storageFull(quota));
      digest.update(chunk);
      done(null, chunk);
    },
  });
  const broken = (): void => {
    if (!request.raw.complete) through.destroy(new AditError('VALIDATION', 'The connection broke during the upload.'));
  };
  // It broke off while its entry was made: nothing more will be heard of it.
  if (file.destroyed) {
    throw new AditError('VALIDATION', 'The upload ends in the middle of its file.', { cause: file.errored });
  }
  // The store may look at the stream only after it broke.
  through.on('error', () => undefined);
  request.raw.once('close', broken);
  through.once('close', () => {
    request.raw.off('close', broken);
    // Nobody reads on when the store has failed; the rest of the request would block the connection.
    file.unpipe(through).resume();
  });
  file.once('error', (error) => through.destroy(formFault(error)));
  return file.pipe(through);
}

function withoutUndefined(fields: FormFields): FormFields {
  return Object.fromEntries(Object.entries<string | undefined>(fields).filter(([, value]) => value !== undefined));
}

function missing(pointer: string, message: string): AditError {
  return new AditError('VALIDATION', message, { errors: [{ pointer, code: 'missing', message }] });
}
