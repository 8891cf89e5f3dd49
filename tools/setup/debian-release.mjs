// Programs of another release of Debian than the machine's, with all that they are linked with.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { onPath } from './on-path.mjs';
import { SetupError } from './step.mjs';

const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** Debian's names for the library folder and the dynamic loader, by architecture. */
const MACHINES = {
  x64: { triplet: 'x86_64-linux-gnu', loader: 'ld-linux-x86-64.so.2' },
  arm64: { triplet: 'aarch64-linux-gnu', loader: 'ld-linux-aarch64.so.1' },
};

/**
 * Puts `programs` of the package `name`, by their paths in it, into the folder `into`, each as a script that starts it with the
 * libraries of its release, the C library included: the machine's may be older. apt checks what it fetches against Debian's signed
 * lists. Throws a SetupError that ends with `advice`.
 *
 * @param {import('./step.mjs').Step} step
 * @param {{ release: string, name: string, programs: string[], into: string, advice: string }} what
 */
export async function programsOfRelease(step, { release, name, programs, into, advice }) {
  const machine = process.platform === 'linux' ? MACHINES[process.arch] : undefined;
  if (machine === undefined || onPath('apt-get') === null || onPath('dpkg-deb') === null || !existsSync(KEYS))
    throw new SetupError(`${name} of Debian ${release} could not be had: this is no Debian. ${advice}`);
  const scratch = mkdtempSync(join(tmpdir(), 'adit-release-'));
  // apt fetches as a user of its own.
  chmodSync(scratch, 0o755);
  try {
    const root = await unpacked(step, { release, name, scratch, advice });
    const libraries = join(root, 'usr/lib', machine.triplet);
    const loader = join(libraries, machine.loader);
    const folders = [libraries, ...['blas', 'lapack', 'pulseaudio'].map((folder) => join(libraries, folder))];
    const lib = join(into, 'lib');
    mkdirSync(lib);
    copyFileSync(loader, join(lib, machine.loader));
    for (const path of programs) {
      const program = join(root, path);
      copyFileSync(program, join(lib, basename(path)));
      const linked = await step.exec(loader, ['--library-path', folders.join(':'), '--list', program], { advice });
      for (const [, file, from] of linked.matchAll(/^\s*([^/\s]+) => (\S+) /gm)) copyFileSync(from, join(lib, file));
      const start = `exec "$lib/${machine.loader}" --library-path "$lib" "$lib/${basename(path)}" "$@"`;
      writeFileSync(join(into, basename(path)), `#!/bin/sh\nlib=\${0%/*}/lib\n${start}\n`, { mode: 0o755 });
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The package and all that it needs, with lists and state of its own: the machine's packages stay those of its release. */
async function unpacked(step, { release, name, scratch, advice }) {
  const [lists, cache, status, list] = ['lists', 'cache', 'status', 'sources.list'].map((file) => join(scratch, file));
  const archives = join(cache, 'archives');
  for (const folder of [lists, archives]) mkdirSync(join(folder, 'partial'), { recursive: true });
  // No package is installed there: whatever is asked for comes with all that it needs.
  writeFileSync(status, '');
  writeFileSync(list, `deb [signed-by=${KEYS}] http://deb.debian.org/debian ${release} main\n`);
  const options = [
    `Dir::Etc::SourceList=${list}`,
    'Dir::Etc::SourceParts=/dev/null',
    `Dir::State::Lists=${lists}`,
    `Dir::State::status=${status}`,
    `Dir::Cache=${cache}`,
    'Debug::NoLocking=1',
  ].flatMap((option) => ['-o', option]);
  const apt = (...args) => step.exec('apt-get', ['-q', ...options, ...args], { cwd: scratch, advice });
  await apt('update');
  await apt('install', '-y', '--download-only', '--no-install-recommends', name);
  const root = join(scratch, 'root');
  for (const file of readdirSync(archives).filter((one) => one.endsWith('.deb'))) {
    await step.exec('dpkg-deb', ['-x', join(archives, file), root], { advice });
  }
  return root;
}
