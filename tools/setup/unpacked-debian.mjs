// Files out of a Debian package that is not installed: what else it holds, and what it would start, is not wanted.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canInstallFromDebian } from './debian.mjs';
import { onPath } from './on-path.mjs';
import { SetupError } from './step.mjs';

/**
 * Copies `files` or folders of the package, by their paths in it, to the folder `into`. apt checks it against the signed lists. Throws a
 * SetupError that ends with `advice`.
 *
 * @param {import('./step.mjs').Step} step
 * @param {{ name: string, files: string[], into: string, advice: string }} what
 */
export async function unpackFromDebian(step, { name, files, into, advice }) {
  if (onPath('apt-get') === null || onPath('dpkg-deb') === null) {
    throw new SetupError(`${name} could not be had: this is no Debian. ${advice}`);
  }
  const scratch = mkdtempSync(join(tmpdir(), 'adit-debian-'));
  try {
    if (canInstallFromDebian())
      await step.exec('apt-get', ['update', '-q', '-o', 'DPkg::Lock::Timeout=120'], { advice });
    await step.exec('apt-get', ['download', '-q', name], { cwd: scratch, advice });
    const [archive] = readdirSync(scratch);
    await step.exec('dpkg-deb', ['-x', archive, 'unpacked'], { cwd: scratch, advice });
    await step.exec('cp', ['-R', ...files.map((file) => join(scratch, 'unpacked', file)), into], { advice });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
