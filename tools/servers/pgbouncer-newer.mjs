// Newer PgBouncers than the machine's Debian has: those of newer releases, with their libraries.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { programsOfRelease } from '../setup/debian-release.mjs';
import { SetupError, Step } from '../setup/step.mjs';
import { installOnce, serversCache } from './installing.mjs';

/** By version, the release that has it. */
const RELEASES = { 1.24: 'trixie', 1.26: 'forky' };
const HOW = 'Name another one in ADIT_PGBOUNCER.';

/** The installation, as `startPgbouncer` takes it. Throws a SetupError. */
export async function newerPgbouncer(version) {
  const release = RELEASES[version];
  const folder = `pgbouncer-${version}-${release}-${process.arch}`;
  const program = join(serversCache, folder, 'pgbouncer');
  if (existsSync(program)) return { program };
  const step = new Step({ live: false });
  let failed = true;
  try {
    step.begin(`Fetching PgBouncer ${version} of Debian ${release}`);
    await installOnce(folder, async (into) => {
      await programsOfRelease(step, {
        release,
        name: 'pgbouncer',
        programs: ['usr/sbin/pgbouncer'],
        into,
        advice: HOW,
      });
      const said = execFileSync(join(into, 'pgbouncer'), ['--version'], { encoding: 'utf8' });
      if (!said.startsWith(`PgBouncer ${version}.`)) {
        throw new SetupError(`Debian ${release} has ${said.split('\n', 1)[0]} by now, not ${version}. ${HOW}`);
      }
    });
    failed = false;
    return { program };
  } finally {
    step.end(failed);
  }
}
