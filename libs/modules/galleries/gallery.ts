import { AditError, Landmark } from '@adit/contracts';
import { z } from 'zod';
import { floatsOf } from './embedding.js';

/** Files of a gallery version. */
export const GALLERY_FILE = 'gallery.json';
export const EMBEDDINGS_FILE = 'embeddings.bin';

/** A person or a landmark. `images` is the number of photos with an embedding. */
const GalleryClass = z.strictObject({
  id: z.uuid(),
  label: z.string().min(1),
  images: z.int().nonnegative(),
  landmark: Landmark.optional(),
});
type GalleryClass = z.infer<typeof GalleryClass>;

/** `<name>/<version>/gallery.json`; row r of `embeddings.bin` shows `classes[rows[r]]`. */
export const GalleryFile = z.strictObject({
  format: z.literal(1),
  name: z.string(),
  /** Made by a user: its class ids appear in results. */
  custom: z.boolean(),
  /** Network of the embeddings; those of others are not comparable. */
  embedding: z.strictObject({ name: z.string(), digest: z.string() }),
  /**
   * Maximum distance of two matching embeddings of a user's network, 0..2. Builds without support for such networks
   * refuse this field, instead of comparing embeddings of different networks.
   */
  maxDistance: z.number().min(0).max(2).optional(),
  dimensions: z.int().positive(),
  classes: z.array(GalleryClass),
  rows: z.array(z.int().nonnegative()),
});
export type GalleryFile = z.infer<typeof GalleryFile>;

/** A gallery in memory: `vectors` is N×dimensions, row-major, each row of length 1. */
export interface Gallery extends GalleryFile {
  vectors: Float32Array;
}

/**
 * Reads a gallery version through `readFile(name)`. Throws INTERNAL, naming the gallery, when its files do not match.
 */
export async function readGallery(name: string, readFile: (file: string) => Promise<Buffer>): Promise<Gallery> {
  const [json, bytes] = await Promise.all([readFile(GALLERY_FILE), readFile(EMBEDDINGS_FILE)]);
  let parsed: GalleryFile;
  try {
    parsed = GalleryFile.parse(JSON.parse(json.toString('utf8')));
  } catch (cause) {
    throw broken(name, `${GALLERY_FILE} is not a gallery of format 1`, cause);
  }
  if (bytes.length !== parsed.rows.length * parsed.dimensions * 4) {
    throw broken(name, `${EMBEDDINGS_FILE} has ${bytes.length} bytes for ${parsed.rows.length} rows`);
  }
  if (parsed.rows.some((index) => index >= parsed.classes.length)) throw broken(name, 'a row belongs to no class');
  return { ...parsed, vectors: floatsOf(bytes) };
}

function broken(name: string, reason: string, cause?: unknown): AditError {
  return new AditError('INTERNAL', `The gallery ${name} cannot be used: ${reason}. Build it again.`, { cause });
}
