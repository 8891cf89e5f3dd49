import { AditError, Dictionary, storable } from '@adit/contracts';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { bytesOf, formParts } from '../http/bodies/form-parts.js';
import { detailsOf } from '../http/validation.js';
import { sentBack } from '../http/sent-back.js';

export interface SentFile {
  bytes: Buffer;
  filename: string;
  contentType: string;
}

/**
 * Reads a multipart request of at most one file and the fields of `schema` into memory: dictionaries are small. Throws
 * VALIDATION, TOO_LARGE beyond `maxBytes`, UNSUPPORTED_MEDIA_TYPE when it is no form.
 */
export async function readForm<Fields extends z.ZodType>(
  request: FastifyRequest,
  schema: Fields,
  maxBytes: number,
): Promise<{ fields: z.output<Fields>; file: SentFile | null }> {
  const fields: Record<string, unknown> = {};
  let file: SentFile | null = null;
  const limits = { files: 1, fields: 8, fieldSize: 8 << 10, fileSize: maxBytes, parts: 10 };
  for await (const part of formParts(request, 'the file in the field "file"', limits)) {
    if (part.type !== 'file') {
      fields[part.fieldname] = part.value;
      continue;
    }
    const bytes = await bytesOf(part);
    if (part.file.truncated) throw new AditError('TOO_LARGE', `A dictionary has at most ${maxBytes} bytes here.`);
    if (part.fieldname !== 'file') throw missing('Send the file in the field "file".');
    // A part of bytes without a name is a file, too, whatever its type says.
    file = { bytes, filename: part.filename || '', contentType: part.mimetype };
  }
  const parsed = schema.check(storable).safeParse(sentBack(schema, Dictionary)(fields));
  if (!parsed.success) {
    const errors = parsed.error.issues.flatMap((issue) => detailsOf({ ...issue, path: ['body', ...issue.path] }));
    throw new AditError('VALIDATION', errors.map(({ message }) => message).join(' '), { errors });
  }
  return { fields: parsed.data, file };
}

export function missing(message: string): AditError {
  return new AditError('VALIDATION', message, { errors: [{ pointer: '/file', code: 'missing', message }] });
}
