// Decides what is out of date and brings it up to date, under a lock, remembering in a stamp file.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { packagesFingerprint, sourcesFingerprint, weightsFingerprint } from './fingerprints.mjs';
import { withLock } from './lock.mjs';
import { cacheDirectory, repositoryRoot, stampFile } from './places.mjs';
import { installWeights, weightsInPlace } from './steps/weights.mjs';

const dist = join(repositoryRoot, 'apps/standalone/dist');

/** In the order they depend on each other. `upToDate` is only file stats, for a second run to cost next to nothing. */
const steps = {
  packages: {
    fingerprint: packagesFingerprint,
    holds: () => existsSync(join(repositoryRoot, 'node_modules/.bin/nx')),
    run: async (step) => (await import('./steps/packages.mjs')).installPackages(step),
  },
  ffmpeg: {
    fingerprint: () => `${process.env.ADIT_FFMPEG ?? ''}|${process.env.ADIT_FFPROBE ?? ''}`,
    holds: (result) => existsSync(result?.ffmpeg ?? '') && existsSync(result?.ffprobe ?? ''),
    run: async (step) => (await import('./steps/ffmpeg.mjs')).ensureFfmpeg(step),
  },
  build: {
    fingerprint: () => `${packagesFingerprint()}|${sourcesFingerprint()}`,
    holds: () => existsSync(dist),
    run: async (step) => (await import('./steps/build.mjs')).buildAll(step),
  },
  weights: {
    fingerprint: () => `${weightsFingerprint()}|${cacheDirectory}`,
    holds: weightsInPlace,
    run: installWeights,
  },
};

/**
 * Runs those of the named steps that are out of date. Answers the names of those that ran and the environment for the
 * command: ADIT_CACHE_DIR, ADIT_FFMPEG, ADIT_FFPROBE, MALLOC_ARENA_MAX. A step named in `tolerate` may fail with a warning.
 * `anyAge`: what is there will do, however old, so that nobody waits.
 */
export async function prepare(names, { tolerate = [], anyAge = false } = {}) {
  const isDue = anyAge ? isMissing : isStale;
  const stale = () => names.filter((name) => isDue(name, readStamps()));
  const ran = [];
  if (stale().length > 0) {
    mkdirSync(cacheDirectory, { recursive: true });
    await withLock(join(cacheDirectory, 'setup.lock'), async () => {
      // Another run may have done the work while this one waited.
      for (const name of names) {
        if (!isDue(name, readStamps())) continue;
        const { Step } = await import('./step.mjs');
        await runStep(name, new Step(), tolerate);
        ran.push(name);
      }
    });
  }
  const { ffmpeg, ffprobe } = readStamps().ffmpeg?.result ?? {};
  // glibc reads it before the program starts; an arena for every native thread costs an engine hundreds of megabytes.
  const environment = { MALLOC_ARENA_MAX: '2', ...process.env, ADIT_CACHE_DIR: cacheDirectory };
  if (ffmpeg && ffprobe) {
    Object.assign(environment, { ADIT_FFMPEG: ffmpeg, ADIT_FFPROBE: ffprobe });
    // For whoever says plain "ffmpeg", such as the specs that make their films.
    const folders = [...(process.env.PATH ?? '').split(delimiter), dirname(ffmpeg), dirname(ffprobe)];
    environment.PATH = [...new Set(folders)].join(delimiter);
  }
  return { ran, environment };
}

async function runStep(name, step, tolerate) {
  try {
    const result = await steps[name].run(step);
    writeStamp(name, { fingerprint: steps[name].fingerprint(), result });
  } catch (error) {
    if (error.name !== 'SetupError' || !tolerate.includes(name)) throw error;
    console.error(error.message);
  } finally {
    step.end();
  }
}

function isMissing(name, stamps) {
  const stamp = stamps[name];
  return stamp === undefined || !steps[name].holds(stamp.result);
}

function isStale(name, stamps) {
  return isMissing(name, stamps) || stamps[name].fingerprint !== steps[name].fingerprint();
}

function readStamps() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return {};
  }
}

function writeStamp(name, stamp) {
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, `${JSON.stringify({ ...readStamps(), [name]: stamp }, null, 2)}\n`);
}
