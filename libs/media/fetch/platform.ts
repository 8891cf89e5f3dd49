import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import { copyToPrivateFile, type CopyLimits, type FetchedSource } from './private-file.js';

/**
 * Downloads a YouTube or Vimeo page's film with yt-dlp (ADIT_YT_DLP, else on the PATH). Throws SOURCE_REFUSED when it
 * is not installed or cannot get the film.
 */
export async function fetchPlatform(url: URL, limits: CopyLimits): Promise<FetchedSource> {
  await mkdir(limits.directory, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(limits.directory, 'platform-'));
  try {
    await download(url, folder, limits);
    const [name] = await readdir(folder);
    if (!name) throw new AditError('SOURCE_REFUSED', `yt-dlp brought no film from ${url.hostname}.`);
    return await copyToPrivateFile(createReadStream(join(folder, name)), limits);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function download(url: URL, folder: string, limits: CopyLimits): Promise<void> {
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
  return new Promise((resolve, reject) => {
    const child = spawn(process.env.ADIT_YT_DLP ?? 'yt-dlp', args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: limits.timeoutSeconds * 1000,
      killSignal: 'SIGKILL',
      signal: limits.signal,
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString('utf8')).slice(-2000)));
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (limits.signal?.aborted) return reject(limits.signal.reason);
      const missing = error.code === 'ENOENT';
      reject(
        new AditError(
          'SOURCE_REFUSED',
          missing
            ? `Films of ${url.hostname} need yt-dlp, which is not installed: pip install yt-dlp.`
            : `yt-dlp does not start: ${error.message}`,
        ),
      );
    });
    child.on('close', (code, killedBy) => {
      if (code === 0) return resolve();
      if (killedBy)
        return reject(new AditError('LIMIT_EXCEEDED', `yt-dlp took longer than ${limits.timeoutSeconds} s.`));
      const reason = stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
      reject(new AditError('SOURCE_REFUSED', `yt-dlp cannot get the film: ${reason}`));
    });
  });
}
