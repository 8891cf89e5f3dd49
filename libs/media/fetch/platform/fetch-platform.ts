import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import { openCheckedProxy, type ResolveHost } from '@adit/net';
import { copyToPrivateFile, tooLarge, type CopyLimits, type FetchedSource } from '../private-file.js';
import { sourceAddresses, type SourcePolicy } from '../source-uri.js';
import { downloadByYtDlp } from './download.js';
import { filmUrl } from './film-url.js';
import { joinedFilm } from './joined-film.js';
import { YT_DLP } from './program.js';

interface PlatformOptions extends SourcePolicy, CopyLimits {
  /** Replaces the system's resolver. */
  resolveHost?: ResolveHost;
}

/** Which pages are read and where; specs serve their own. */
export interface PlatformReach {
  /** Names of yt-dlp's extractors. */
  extractors: readonly string[];
  ports: readonly number[];
}

const PLATFORMS: PlatformReach = { extractors: ['youtube', 'vimeo'], ports: [443] };

/**
 * Bytes beside the film: pages and scripts of the player, TLS, sound that is not used, and beginnings that are fetched
 * twice.
 */
const MORE_BYTES = 64 * 2 ** 20;
const MORE_SHARE = 0.1;
/** Later than yt-dlp itself gives up, which tries once more and says why. */
const PROXY_PATIENCE_SECONDS = 5;

/**
 * Downloads the film of a YouTube or Vimeo page with yt-dlp, whose only way to the network is a proxy that checks every
 * address and counts the bytes (ADR 67). Throws SOURCE_REFUSED when yt-dlp is not installed or there is no film to be had,
 * SOURCE_UNAVAILABLE when another try may help, TOO_LARGE and LIMIT_EXCEEDED past the limits.
 */
export async function fetchPlatform(
  url: URL,
  options: PlatformOptions,
  { extractors, ports }: PlatformReach = PLATFORMS,
): Promise<FetchedSource> {
  const { directory, maxBytes, idleTimeoutSeconds, signal, resolveHost, ytDlp = YT_DLP } = options;
  const deadline = Date.now() + options.timeoutSeconds * 1000;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const over = new AbortController();
  const stopped = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  const proxy = await openCheckedProxy({
    addresses: sourceAddresses(options),
    ports,
    maxBytes: Math.ceil(maxBytes * (1 + MORE_SHARE)) + MORE_BYTES,
    onTooMany: () => over.abort(tooLarge(maxBytes)),
    timeoutMs: (idleTimeoutSeconds + PROXY_PATIENCE_SECONDS) * 1000,
    resolveHost,
  });
  const folder = await mkdtemp(join(directory, 'platform-')).catch(async (error: unknown) => {
    await proxy.close();
    throw error;
  });
  try {
    const left = { ...options, signal: stopped, timeoutSeconds: secondsUntil(deadline, options) };
    const parts = await downloadByYtDlp({ url: filmUrl(url), folder, proxy, extractors, program: ytDlp, limits: left });
    await proxy.close();
    const film = await joinedFilm(parts, { ...left, folder, timeoutSeconds: secondsUntil(deadline, options) });
    return await copyToPrivateFile(createReadStream(film), options, deadline);
  } finally {
    await proxy.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function secondsUntil(deadline: number, { timeoutSeconds }: CopyLimits): number {
  const seconds = (deadline - Date.now()) / 1000;
  if (seconds <= 0) throw new AditError('LIMIT_EXCEEDED', `Fetching the source took longer than ${timeoutSeconds} s.`);
  return seconds;
}
