import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Where a build puts a new, empty data directory of this very PGlite, as a compressed tar. */
export async function templatePath(): Promise<string> {
  const library = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
  const { version } = JSON.parse(await readFile(join(library, '../package.json'), 'utf8')) as { version: string };
  const here = import.meta.dirname;
  const dist = here.endsWith('dist') ? here : join(here, 'dist');
  return join(dist, `pgdata-${version}.tar.gz`);
}

/** What a new database begins with, sparing it PostgreSQL's initdb, which takes seconds; null where none was built. */
export async function readTemplate(): Promise<Uint8Array | null> {
  return readFile(await templatePath()).catch(() => null);
}
