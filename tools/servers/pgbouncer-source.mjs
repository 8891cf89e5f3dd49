// A newer PgBouncer than the machine's Debian has: built from the source package of Debian 13.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installFromDebian } from '../setup/debian.mjs';
import { onPath } from '../setup/on-path.mjs';
import { SetupError, Step } from '../setup/step.mjs';
import { installOnce, serversCache } from './installing.mjs';

const RELEASE = 'trixie';
const VERSION = '1.24.1';
const FOLDER = `pgbouncer-${VERSION}-${process.arch}`;
const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg';
const NEEDED = ['gcc', 'make', 'pkg-config', 'libevent-dev', 'libssl-dev'];
const HOW = 'It needs Debian, a C compiler, make, pkg-config, libevent-dev and libssl-dev.';

/** The installation, as `startPgbouncer` takes it. apt checks the source against Debian's signed lists. Throws a SetupError. */
export async function pgbouncerFromSource() {
  const program = join(serversCache, FOLDER, 'pgbouncer');
  if (existsSync(program)) return { program };
  const step = new Step({ live: false });
  if (onPath('apt-get') === null) throw new SetupError(`PgBouncer ${VERSION} could not be had. ${HOW}`);
  await installFromDebian(step, 'Installing what PgBouncer is built with', NEEDED);
  const scratch = mkdtempSync(join(tmpdir(), 'adit-pgbouncer-source-'));
  let failed = true;
  try {
    step.begin(`Building PgBouncer ${VERSION}`);
    const list = join(scratch, 'sources.list');
    const lists = join(scratch, 'lists');
    mkdirSync(join(lists, 'partial'), { recursive: true });
    writeFileSync(list, `deb-src [signed-by=${KEYS}] http://deb.debian.org/debian ${RELEASE} main\n`);
    // Lists of its own, so that the machine's packages stay those of its release.
    const apart = [`Dir::Etc::SourceList=${list}`, 'Dir::Etc::SourceParts=/dev/null', `Dir::State::Lists=${lists}`];
    const apt = (...args) =>
      step.exec('apt-get', ['-q', ...apart.flatMap((option) => ['-o', option]), ...args], {
        cwd: scratch,
        advice: HOW,
      });
    await apt('update');
    await apt('source', '--download-only', 'pgbouncer');
    const archive = readdirSync(scratch).find((name) => name.endsWith('.orig.tar.gz'));
    if (archive !== `pgbouncer_${VERSION}.orig.tar.gz`)
      throw new SetupError(`Debian ${RELEASE} has ${archive} by now.`);
    await step.exec('tar', ['xf', archive], { cwd: scratch });
    const source = join(scratch, `pgbouncer-${VERSION}`);
    await step.exec('./configure', ['--without-cares', '--without-pam'], { cwd: source, advice: HOW });
    await step.exec('make', ['pgbouncer'], { cwd: source, advice: HOW });
    await installOnce(FOLDER, (into) => step.exec('cp', [join(source, 'pgbouncer'), into]));
    failed = false;
    return { program };
  } finally {
    step.end(failed);
    rmSync(scratch, { recursive: true, force: true });
  }
}
