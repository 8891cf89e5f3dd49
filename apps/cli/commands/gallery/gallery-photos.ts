import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '@adit/contracts';
import { z } from 'zod';

/** Beside a gallery's model.yaml: what it was built of, on the machine that built it. Nothing that serves galleries reads it. */
const PHOTOS_FILE = 'photos.json';
const Photos = z.object({ folder: z.string() });

/** Remembers the folder of photos that a gallery's last version was built of. */
export async function notePhotos(modelsDir: string, gallery: string, folder: string): Promise<void> {
  const path = join(modelsDir, gallery, PHOTOS_FILE);
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, JSON.stringify({ folder } satisfies z.infer<typeof Photos>));
  await rename(draft, path);
}

/** The folder that was remembered; null when none was. */
export async function notedPhotos(modelsDir: string, gallery: string): Promise<string | null> {
  try {
    return Photos.parse(JSON.parse(await readFile(join(modelsDir, gallery, PHOTOS_FILE), 'utf8'))).folder;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || error instanceof SyntaxError || error instanceof z.ZodError) return null;
    throw error;
  }
}
