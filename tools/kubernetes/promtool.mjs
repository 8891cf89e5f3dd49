// promtool, which tests Prometheus' rules: one on the PATH, or the one in Debian's package, unpacked, not installed (that
// would start a Prometheus). Its source would compile for minutes longer than all else that tests need.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installOnce } from '../servers/installing.mjs';
import { onPath } from '../setup/on-path.mjs';
import { unpackFromDebian } from '../setup/unpacked-debian.mjs';

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
  step.begin('Fetching promtool from Debian');
  const folder = await installOnce(
    FOLDER,
    (into) => unpackFromDebian(step, { name: 'prometheus', files: ['usr/bin/promtool'], into, advice: HOW }),
    cache,
  );
  return join(folder, 'promtool');
}
