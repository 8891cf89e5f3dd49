import { extname } from 'node:path';
import { AditError, type StorageType } from '@adit/contracts';
import { FILM_FORMATS, mimeTypeOf, PICTURE_FORMATS, sniffBytes, SOUND_FORMATS } from '@adit/media';

const OF_EXTENSION: Record<string, string> = {
  ...Object.fromEntries(
    [...PICTURE_FORMATS, ...FILM_FORMATS, ...SOUND_FORMATS].flatMap(({ extensions, contentType }) =>
      extensions.map((extension) => [extension, contentType]),
    ),
  ),
  '.pdf': 'application/pdf',
};
const KNOWN_BY_CONTENT = new Set(Object.values(OF_EXTENSION));
const UNKNOWN = 'application/octet-stream';

/** Type that the client claims for a file, or else that of its name; it counts until the content is there. */
export function contentTypeOf(claimed: string | undefined, name: string): string {
  const type = claimed?.toLowerCase() ?? UNKNOWN;
  const said = /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}$/.test(type) && type !== UNKNOWN;
  return said ? type : (OF_EXTENSION[extname(name).toLowerCase()] ?? UNKNOWN);
}

/**
 * Returns the type of a file by its first bytes; `claimed` if they show none, unless it is a type that they would show.
 * Only the name of a type is detected: the probe decides whether the file can be mined.
 */
export async function contentTypeOfBytes(head: Buffer, claimed: string): Promise<string> {
  const found = await typeOfBytes(head);
  return found ?? (KNOWN_BY_CONTENT.has(claimed) ? UNKNOWN : claimed);
}

async function typeOfBytes(head: Buffer): Promise<string | null> {
  try {
    return mimeTypeOf(await sniffBytes(head));
  } catch (error) {
    // Text and nothing at all are no media; they may be stored all the same.
    if (error instanceof AditError && error.code === 'MEDIA_INVALID') return null;
    throw error;
  }
}

/** Null for what is neither picture, film nor sound. */
export function storageTypeOf(contentType: string | null): StorageType | null {
  if (contentType === 'application/mxf') return 'VIDEO';
  const [kind] = contentType?.split('/') ?? [];
  // The types of storage are these three in capitals.
  return kind === 'image' || kind === 'video' || kind === 'audio' ? (kind.toUpperCase() as StorageType) : null;
}

/**
 * Types that a browser may show in place: pictures, films and sound that cannot hold a script. A pattern would not do,
 * since `video/x+xml` is XML to a browser.
 */
const SHOWN_IN_PLACE = new Set([
  ...Object.values(OF_EXTENSION).filter((type) => /^(image|video|audio)\//.test(type)),
  'audio/webm',
  'audio/x-wav',
]);

export function dispositionOf(contentType: string | null): 'inline' | 'attachment' {
  return contentType !== null && SHOWN_IN_PLACE.has(contentType) ? 'inline' : 'attachment';
}
