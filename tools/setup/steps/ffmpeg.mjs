// ffmpeg and ffprobe: named by the environment, found on the PATH, Debian's package, or a package that carries them.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installFromDebian } from '../debian.mjs';
import { onPath } from '../on-path.mjs';
import { cacheDirectory } from '../places.mjs';
import { SetupError } from '../step.mjs';

/** Binaries of these are inside their platform packages: nothing is downloaded from elsewhere. */
const CARRIERS = { ffmpeg: '1.1.0', ffprobe: '2.1.2' };
const HOW =
  'Install ffmpeg 5 or newer (Debian: apt-get install ffmpeg), or set ADIT_FFMPEG and ADIT_FFPROBE to its programs.';

/** Answers the absolute paths of both programs. */
export async function ensureFfmpeg(step) {
  const named = { ffmpeg: process.env.ADIT_FFMPEG, ffprobe: process.env.ADIT_FFPROBE };
  if (named.ffmpeg || named.ffprobe) {
    const found = { ffmpeg: named.ffmpeg || onPath('ffmpeg'), ffprobe: named.ffprobe || onPath('ffprobe') };
    for (const [name, path] of Object.entries(found)) {
      if (!works(path))
        throw new SetupError(`ADIT_${name.toUpperCase()} does not name a working program (${path}). ${HOW}`);
    }
    return found;
  }
  return installed() ?? (await fromDebian(step)) ?? (await fromPackage(step));
}

function installed() {
  const found = { ffmpeg: onPath('ffmpeg'), ffprobe: onPath('ffprobe') };
  return works(found.ffmpeg) && works(found.ffprobe) ? found : null;
}

async function fromDebian(step) {
  return (await installFromDebian(step, 'Installing ffmpeg from Debian', ['ffmpeg'])) ? installed() : null;
}

async function fromPackage(step) {
  const packages = Object.entries(CARRIERS).map(([name, version]) => `@${name}-installer/${name}@${version}`);
  const home = join(cacheDirectory, `ffmpeg-${Object.values(CARRIERS).join('-')}`);
  step.begin('Fetching ffmpeg binaries into the cache');
  await step.exec('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', home, ...packages], {
    cwd: cacheDirectory,
    advice: HOW,
  });
  const found = { ffmpeg: carried(home, 'ffmpeg'), ffprobe: carried(home, 'ffprobe') };
  if (!works(found.ffmpeg) || !works(found.ffprobe)) {
    throw new SetupError(`No ffmpeg for ${process.platform}-${process.arch} could be installed. ${HOW}`);
  }
  step.end();
  console.error('This is an ffmpeg of 2018, which cannot tone-map HDR; a newer one is used once it is on the PATH.');
  return found;
}

function carried(home, name) {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  try {
    const require = createRequire(join(home, 'package.json'));
    const path = require.resolve(`@${name}-installer/${process.platform}-${process.arch}/${name}${suffix}`);
    chmodSync(path, 0o755);
    return path;
  } catch {
    return null;
  }
}

function works(path) {
  if (path === null || path === undefined || !existsSync(path)) return false;
  try {
    return execFileSync(path, ['-version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).includes(
      ' version ',
    );
  } catch {
    return false;
  }
}
