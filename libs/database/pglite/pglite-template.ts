import { createHash } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { extract } from 'tar';
import { MIGRATIONS } from '../migrations/index.js';

/**
 * File of the build with the data directory of an empty database, with the schema of these migrations and for this
 * PGlite, as a compressed tar.
 */
export async function templatePath(): Promise<string> {
  const library = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
  const { version }: { version: string } = JSON.parse(await readFile(join(library, '../package.json'), 'utf8'));
  const schema = createHash('sha256')
    .update(MIGRATIONS.map(({ name }) => name).join())
    .digest('hex')
    .slice(0, 8);
  const folder = dirname(import.meta.dirname);
  const dist = basename(folder) === 'dist' ? folder : join(folder, 'dist');
  return join(dist, `pgdata-${version}-${schema}.tar.gz`);
}

/**
 * Returns the template of a new database in memory, which saves initdb and the migrations, that is seconds; null
 * where none was built.
 */
export async function readTemplate(): Promise<Uint8Array | null> {
  return readFile(await templatePath()).catch(() => null);
}

/** Copies the template to the disk. Returns false, having done nothing, where no template was built. */
export async function unpackTemplate(directory: string): Promise<boolean> {
  const file = await templatePath();
  const built = await access(file).then(
    () => true,
    () => false,
  );
  // Copied in parallel: a thousand small files take three times as long one after the other.
  if (built) extract({ file, cwd: directory, sync: true });
  return built;
}
