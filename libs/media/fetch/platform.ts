import { createReadStream } from 'node:fs';
import { mkdtemp, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import { runChild } from '../sandbox/run-child.js';
import { copyToPrivateFile, type CopyLimits, type FetchedSource } from './private-file.js';

/**
 * Downloads the film of a YouTube or Vimeo page with yt-dlp (ADIT_YT_DLP, else on the PATH). Throws SOURCE_REFUSED when
 * yt-dlp is not installed or cannot get the film.
 */
export async function fetchPlatform(url: URL, limits: CopyLimits): Promise<FetchedSource> {
  await mkdir(limits.directory, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(limits.directory, 'platform-'));
  try {
    await download(url, folder, limits);
    const [name] = await readdir(folder);
    if (!name) throw new AditError('SOURCE_REFUSED', `yt-dlp downloaded no film from ${url.hostname}.`);
    return await copyToPrivateFile(createReadStream(join(folder, name)), limits);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the reason why films of a platform cannot be downloaded here; null when none is known. */
export async function platformFault(hosts = 'YouTube and Vimeo'): Promise<string | null> {
  const { code } = await runChild({
    program: program(),
    args: ['--version'],
    doing: 'yt-dlp',
    timeoutSeconds: 15,
    environment: ['HOME'],
  });
  return code === 127 ? notInstalled(hosts) : null;
}

function notInstalled(hosts: string): string {
  return `Films of ${hosts} need yt-dlp, which is not installed: pip install yt-dlp.`;
}

function program(): string {
  return process.env.ADIT_YT_DLP ?? 'yt-dlp';
}

async function download(url: URL, folder: string, limits: CopyLimits): Promise<void> {
  const args = [
    '--ignore-config',
    '--no-playlist',
    '--no-progress',
    '--no-cache-dir',
    '--no-part',
    '--proxy',
    '',
    '--max-filesize',
    String(limits.maxBytes),
    '--socket-timeout',
    String(limits.idleTimeoutSeconds),
    '--format',
    'bestvideo[ext=mp4][height<=1080]+bestaudio[ext=m4a]/best[ext=mp4]/best',
    '--merge-output-format',
    'mp4',
    '--output',
    join(folder, 'film.%(ext)s'),
    '--',
    url.href,
  ];
  const { code, killedBy, stderr } = await runChild({
    program: program(),
    args,
    doing: 'yt-dlp',
    timeoutSeconds: limits.timeoutSeconds,
    limits: { fileBytes: limits.maxBytes },
    network: true,
    // yt-dlp starts ffmpeg to join pictures and sound.
    family: true,
    environment: ['HOME', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
    signal: limits.signal,
  });
  if (code === 0) return;
  if (killedBy !== null) throw new AditError('LIMIT_EXCEEDED', `yt-dlp was killed by ${killedBy}.`);
  if (code === 127) {
    throw new AditError('SOURCE_REFUSED', notInstalled(url.hostname));
  }
  const reason = stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
  throw new AditError('SOURCE_REFUSED', `yt-dlp cannot get the film: ${reason}`);
}
