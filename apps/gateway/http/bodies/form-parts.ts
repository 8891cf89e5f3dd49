import { AditError, errorCode } from '@adit/contracts';
import type { Multipart, MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';

interface FormLimits {
  files: number;
  fields: number;
  /** Bytes of a field. */
  fieldSize: number;
  /** Bytes of a file; what is longer is cut, and `part.file.truncated` says so. */
  fileSize: number;
  parts: number;
}

/**
 * The parts of a multipart/form-data request, one after the other. Throws UNSUPPORTED_MEDIA_TYPE (with `what` to send) when
 * it is no form, VALIDATION for one that is malformed, cut off or has too many parts.
 */
export async function* formParts(
  request: FastifyRequest,
  what: string,
  limits: FormLimits,
): AsyncGenerator<Multipart, void> {
  if (!request.isMultipart()) {
    throw new AditError('UNSUPPORTED_MEDIA_TYPE', `Send ${what} as multipart/form-data.`);
  }
  try {
    yield* request.parts({ limits: { ...limits, headerPairs: 32 } });
  } catch (error) {
    throw formFault(error, limits);
  }
}

/** All bytes of a file, cut at the limit. Throws VALIDATION when the form breaks off. */
export async function bytesOf(part: MultipartFile): Promise<Buffer> {
  try {
    return await part.toBuffer();
  } catch (error) {
    throw formFault(error);
  }
}

/** The bytes of a file as they come, cut at the limit. Throws VALIDATION when the form breaks off. */
export async function* piecesOf(part: MultipartFile): AsyncGenerator<Buffer, void> {
  const pieces: AsyncIterable<Buffer> = part.file;
  try {
    for await (const piece of pieces) yield piece;
  } catch (error) {
    throw formFault(error);
  }
}

/** Turns an error of the parser of forms into a client error, whatever it says. */
export function formFault(error: unknown, limits?: FormLimits): AditError {
  if (error instanceof AditError) return error;
  switch (errorCode(error)) {
    case 'FST_FILES_LIMIT':
      return new AditError(
        'VALIDATION',
        `The form has at most ${limits?.files === 1 ? 'one file' : `${limits?.files} files`}.`,
      );
    case 'FST_FIELDS_LIMIT':
    case 'FST_PARTS_LIMIT':
      return new AditError('VALIDATION', `The form has too many parts; at most ${limits?.fields} fields are taken.`);
    default: {
      const cause = error instanceof Error ? error.message : String(error);
      return new AditError('VALIDATION', `The form is malformed or cut off (${cause}).`, { cause: error });
    }
  }
}
