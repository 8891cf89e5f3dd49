import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { AditError, keysOf, ONLINE_INFERENCE_LIMITS, storable } from '@adit/contracts';
import { noteRemovals } from '@adit/object-removals';
import { PICTURE_FORMATS, sniffBytes, SNIFFED_BYTES } from '@adit/media';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import type { MultipartFile } from '@fastify/multipart';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { formParts, piecesOf } from '../http/bodies/form-parts.js';
import { detailsOf } from '../http/validation.js';
import { liveProtocol } from '@adit/media';
import { SourceChecks } from '../jobs/source-checks.js';
import { remapPointers } from './remapped-pointers.js';

const log = createLogger('gateway');
/** By then no look is under way. */
const REMOVED_AFTER_SECONDS = 600;

/** Location of a picture's bytes: an uploaded file, or an object that lives as long as the request. */
export interface Picture {
  source: string | null;
  objectKey: string | null;
  /** Pointer to the field that named it. */
  pointer: string;
}

interface PostedPictures<Field extends string, Options extends z.ZodObject> {
  workspaceId: string;
  request: FastifyRequest;
  /** The JSON that was posted; undefined for a form. */
  body: Record<string, unknown> | undefined;
  /** The fields that name a picture in JSON, with those that hold one in a form. */
  fields: Record<Field, string>;
  /** Schema of the other fields of a form; JSON has been checked. */
  options: Options;
}

/** Takes the pictures of a request, for as long as it lasts. Nothing is opened in this process. */
@Injectable()
export class Pictures {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(SourceChecks) private readonly sources: SourceChecks,
  ) {}

  /**
   * Calls `work` with the pictures that were posted, as JSON or as a form, and what else was said. Throws VALIDATION or
   * SOURCE_REFUSED with a pointer to what cannot be used, TOO_LARGE for a file that a request may not bring.
   */
  async with<Field extends string, Options extends z.ZodObject, Answer>(
    posted: PostedPictures<Field, Options>,
    work: (pictures: Record<Field, Picture>, options: z.output<Options>) => Promise<Answer>,
  ): Promise<Answer> {
    const held: string[] = [];
    try {
      const { files, texts } =
        posted.body === undefined
          ? await this.form(posted, held)
          : { files: new Map<string, string>(), texts: posted.body };
      const pictures: Partial<Record<Field, Picture>> = {};
      const others = { ...texts };
      for (const field of keysOf(posted.fields)) {
        const inForm = posted.fields[field];
        const pointer = `/${field}`;
        const objectKey = files.get(inForm);
        const uri = others[field];
        delete others[field];
        if (objectKey !== undefined) pictures[field] = { source: null, objectKey, pointer };
        else if (typeof uri === 'string') pictures[field] = await this.named(posted.workspaceId, uri, pointer, held);
        else throw missing(pointer, `Send the picture in the field "${inForm}", or its address in "${field}".`);
      }
      // The loop has set each of the fields, or thrown.
      return await work(pictures as Record<Field, Picture>, optionsOf(posted.options, others));
    } finally {
      for (const key of held) await this.remove(key);
    }
  }

  private async form(
    { request, fields }: Pick<PostedPictures<string, z.ZodObject>, 'request' | 'fields'>,
    held: string[],
  ): Promise<{ files: Map<string, string>; texts: Record<string, unknown> }> {
    const names = Object.values(fields);
    const pointerTo = (name: string) => `/${Object.keys(fields).find((field) => fields[field] === name) ?? name}`;
    const files = new Map<string, string>();
    const texts: Record<string, unknown> = {};
    const limits = {
      files: names.length,
      fields: 24,
      fieldSize: 8 << 10,
      fileSize: ONLINE_INFERENCE_LIMITS.bytes,
      parts: 26,
    };
    for await (const part of formParts(request, `the picture in the field "${names.join('", "')}"`, limits)) {
      if (part.type !== 'file') texts[part.fieldname] = part.value;
      else if (!names.includes(part.fieldname)) {
        throw missing(`/${part.fieldname}`, `Send pictures in the field "${names.join('", "')}".`);
      } else files.set(part.fieldname, await this.store(part, held, pointerTo(part.fieldname)));
    }
    return { files, texts };
  }

  /** Stores an uploaded picture. Bytes that begin as no picture are refused first. */
  private async store(part: MultipartFile, held: string[], pointer: string): Promise<string> {
    const bytes = piecesOf(part);
    const head: Buffer[] = [];
    for (let size = 0; size < SNIFFED_BYTES;) {
      const { done, value } = await bytes.next();
      if (done === true) break;
      head.push(value);
      size += value.length;
    }
    await checkPicture(Buffer.concat(head), pointer);
    const key = await this.place(held);
    await this.objects.put(key, Readable.from(continued(head, bytes), { objectMode: false }), { durable: false });
    if (!part.file.truncated) return key;
    throw new AditError('TOO_LARGE', `A picture has at most ${ONLINE_INFERENCE_LIMITS.bytes} bytes here.`);
  }

  /** Checks an address without opening it. */
  private async named(workspaceId: string, uri: string, pointer: string, held: string[]): Promise<Picture> {
    const isStored = /^storage:\/\//i.test(uri);
    if (!isStored && !/^https?:\/\//i.test(uri)) {
      throw missing(
        pointer,
        `${uri.slice(0, 200)} is no address of an uploaded file (storage://…) or on the web (https://…).`,
      );
    }
    if (liveProtocol(uri) !== null)
      throw noPicture('A live stream is no picture: post a job to have it mined.', pointer);
    const { mediaType } = await remapPointers({ '/sources/0': pointer }, () => this.sources.check(workspaceId, [uri]));
    if (isStored && mediaType !== 'image') throw noPicture(`${uri} is no picture.`, pointer);
    return { source: uri, objectKey: isStored ? null : await this.place(held), pointer };
  }

  /** A key of its own, noted to be removed before anything is written there. */
  private async place(held: string[]): Promise<string> {
    const key = `looks/${randomUUID()}`;
    await noteRemovals(this.db.manager, [key], { inSeconds: REMOVED_AFTER_SECONDS });
    held.push(key);
    return key;
  }

  private async remove(key: string): Promise<void> {
    await this.objects.delete(key).catch((error: unknown) => {
      log.debug({ key, err: error }, 'a picture is left to the sweeper');
    });
  }
}

/** A form has nothing but text: what a field does not take as text is taken as JSON. */
function optionsOf<Options extends z.ZodObject>(schema: Options, given: Record<string, unknown>): z.output<Options> {
  const values = Object.entries(given).map(([name, value]) => [name, valueOf(schema.shape[name], value)]);
  const parsed = schema.check(storable).safeParse(Object.fromEntries(values));
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.flatMap((issue) => detailsOf({ ...issue, path: ['body', ...issue.path] }));
  throw new AditError('VALIDATION', errors.map(({ message }) => message).join(' '), { errors });
}

function valueOf(field: z.core.$ZodType | undefined, value: unknown): unknown {
  if (typeof value !== 'string' || field === undefined || z.core.safeParse(field, value).success) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

async function* continued(head: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

async function checkPicture(head: Buffer, pointer: string): Promise<void> {
  const { kind } = await sniffBytes(head).catch((error: unknown) => {
    throw noPicture(AditError.from(error).message, pointer);
  });
  if (kind === 'image') return;
  const titles = PICTURE_FORMATS.map(({ title }) => title).join(', ');
  throw noPicture(`It is no picture of a kind that is taken: ${titles}.`, pointer);
}

function noPicture(message: string, pointer: string): AditError {
  return new AditError('MEDIA_INVALID', message, { errors: [{ pointer, code: 'media_invalid', message }] });
}

function missing(pointer: string, message: string): AditError {
  return new AditError('VALIDATION', message, { errors: [{ pointer, code: 'invalid', message }] });
}
