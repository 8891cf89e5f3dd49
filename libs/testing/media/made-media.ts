import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ffmpegProgram } from './ffmpeg-program.js';
import { spending } from '../test-costs.js';

const run = promisify(execFile);

/**
 * Makes a media file with ffmpeg (`ADIT_FFMPEG`, else the PATH) and keeps it for later runs. `args` come between `ffmpeg`
 * and the output's path; `name` gives the output's extension.
 */
export function transcode(name: string, args: readonly string[]): Promise<string> {
  return cachedMedia(name, args, async (path) => {
    await run(ffmpegProgram(), ['-nostdin', '-v', 'error', '-y', ...args, path], { maxBuffer: 8 << 20 });
  });
}

/**
 * Keeps what `make` writes to the path it is given, and answers where. The file belongs to this clone and is named by all
 * that made it: `name`, the text of `make`, ffmpeg's version, and `from`, where files that are named count by what they
 * hold. A file that several processes make at once is made twice and renamed into place.
 */
export async function cachedMedia(
  name: string,
  from: string | readonly string[],
  make: (path: string) => Promise<void>,
): Promise<string> {
  const folder = join(repositoryRoot(), 'node_modules/.cache/adit/test-media');
  const made = [name, String(make), await ffmpegVersion(ffmpegProgram())];
  for (const part of typeof from === 'string' ? [from] : from) made.push(await identityOf(part));
  const digest = createHash('sha256').update(JSON.stringify(made)).digest('hex').slice(0, 20);
  const path = join(folder, `${digest}-${name}`);
  if (existsSync(path)) return path;
  await mkdir(folder, { recursive: true });
  const scratch = await mkdtemp(join(folder, '.making-'));
  try {
    await spending('media', () => make(join(scratch, name)));
    await rename(join(scratch, name), path);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return path;
}

const versions = new Map<string, Promise<string>>();

function ffmpegVersion(program: string): Promise<string> {
  const version = versions.get(program) ?? run(program, ['-version']).then(({ stdout }) => stdout);
  versions.set(program, version);
  return version;
}

/** The argument with each file that it names, alone or within a filter, replaced by the hash of its bytes. */
async function identityOf(part: string): Promise<string> {
  if (isFile(part)) return digestOfFile(part);
  let identity = part;
  for (const [path] of part.matchAll(/\/[^\s'":|,;=\\]+/g)) {
    if (isFile(path)) identity = identity.replaceAll(path, await digestOfFile(path));
  }
  return identity;
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

const digests = new Map<string, Promise<string>>();

function digestOfFile(path: string): Promise<string> {
  const { size, mtimeMs } = statSync(path);
  const key = `${path} ${size} ${mtimeMs}`;
  const digest = digests.get(key) ?? readFile(path).then((bytes) => createHash('sha256').update(bytes).digest('hex'));
  digests.set(key, digest);
  return digest;
}

/** From the source as from the build. */
function repositoryRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'pnpm-workspace.yaml'))) {
    if (folder === dirname(folder)) throw new Error('Test media are made inside a clone of the repository only.');
    folder = dirname(folder);
  }
  return folder;
}
