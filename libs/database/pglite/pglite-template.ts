import { createHash } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { extract } from 'tar';
import { MIGRATIONS } from '../migrations/index.js';

/**
 * Where a build puts the data directory of an empty database, with the schema of these very migrations and for this very
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
 * What a new database in memory begins with, sparing it PostgreSQL's initdb and the migrations, which take seconds; null
 * where none was built.
 */
export async function readTemplate(): Promise<Uint8Array | null> {
  return readFile(await templatePath()).catch(() => null);
}

/** The same for one on the disk. Returns false, having done nothing, where no template was built. */
export async function unpackTemplate(directory: string): Promise<boolean> {
  const file = await templatePath();
  const built = await access(file).then(
    () => true,
    () => false,
  );
  // Nothing else runs yet, and a thousand small files one after the other take a third of the time.
  if (built) extract({ file, cwd: directory, sync: true });
  return built;
}
