// promtool, which tests Prometheus' rules: one on the PATH, or the one in Debian's package, unpacked, not installed (that
// would start a Prometheus). Its source would compile for minutes longer than all else that tests need.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installOnce } from '../servers/installing.mjs';
import { canInstallFromDebian } from '../setup/debian.mjs';
import { onPath } from '../setup/on-path.mjs';
import { SetupError } from '../setup/step.mjs';

const FOLDER = `promtool-debian-${process.arch}`;
const HOW = 'Put promtool (of Prometheus) on the PATH.';

export function findPromtool(cache) {
  const kept = join(cache, FOLDER, 'promtool');
  return onPath('promtool') ?? (existsSync(kept) ? kept : null);
}

/** Answers its path. Throws a SetupError where it is not to be had. */
export async function ensurePromtool(step, cache) {
  const found = findPromtool(cache);
  if (found !== null) return found;
  if (onPath('apt-get') === null || onPath('dpkg-deb') === null) {
    throw new SetupError(`promtool could not be had: this is no Debian. ${HOW}`);
  }
  step.begin('Fetching promtool from Debian');
  const folder = await installOnce(
    FOLDER,
    async (partial) => {
      const scratch = mkdtempSync(join(tmpdir(), 'adit-promtool-'));
      try {
        if (canInstallFromDebian())
          await step.exec('apt-get', ['update', '-q', '-o', 'DPkg::Lock::Timeout=120'], { advice: HOW });
        // apt checks it against the signed lists.
        await step.exec('apt-get', ['download', '-q', 'prometheus'], { cwd: scratch, advice: HOW });
        const [archive] = readdirSync(scratch);
        await step.exec('dpkg-deb', ['-x', archive, 'unpacked'], { cwd: scratch, advice: HOW });
        await step.exec('cp', [join(scratch, 'unpacked/usr/bin/promtool'), partial]);
      } finally {
        rmSync(scratch, { recursive: true, force: true });
      }
    },
    cache,
  );
  return join(folder, 'promtool');
}
