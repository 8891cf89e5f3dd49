import { lstat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AditError } from '@adit/contracts';
import type { CheckedProxy } from '@adit/net';
import { runChild } from '../../sandbox/run-child.js';
import type { CopyLimits } from '../private-file.js';
import { ytDlpArguments, type YtDlpOrder } from './arguments.js';
import { ytDlpFault } from './faults.js';
import { faultOf, NO_YT_DLP } from './program.js';

interface Download extends Pick<YtDlpOrder, 'url' | 'folder' | 'extractors'> {
  /** ADIT_YT_DLP. */
  program: string;
  proxy: CheckedProxy;
  limits: CopyLimits;
}

/** Private memory of yt-dlp and of each program that it starts. */
const MEMORY_BYTES = 2 * 2 ** 30;
/** Paths of a few files. */
const MAX_OUTPUT = 64 << 10;
const OWN_CERTIFICATES = ['SSL_CERT_FILE', 'SSL_CERT_DIR'];
const TOLD = /^\d+\.film$/;

/**
 * Runs yt-dlp and returns the files that it says it made, one or more: pictures first, then sound. Throws as
 * `fetchPlatform`.
 */
export async function downloadByYtDlp({ program, proxy, limits, ...order }: Download): Promise<string[]> {
  if (program === NO_YT_DLP) throw faultOf({ kind: 'off' }, order.url.hostname);
  const { idleTimeoutSeconds } = limits;
  const trustsSystem = OWN_CERTIFICATES.some((name) => process.env[name] !== undefined);
  let output = '';
  const end = await runChild({
    program,
    args: ytDlpArguments({ ...order, idleTimeoutSeconds, trustsSystem }),
    doing: 'yt-dlp',
    timeoutSeconds: limits.timeoutSeconds,
    limits: { dataBytes: MEMORY_BYTES, fileBytes: limits.maxBytes },
    network: { port: proxy.port },
    // yt-dlp starts Node for the player's scripts.
    family: true,
    environment: ['HOME', ...OWN_CERTIFICATES],
    variables: {
      ...{ http_proxy: proxy.url, https_proxy: proxy.url, all_proxy: proxy.url, no_proxy: '' },
      ...{ YTDLP_NO_PLUGINS: '1', TMPDIR: order.folder, PYTHONDONTWRITEBYTECODE: '1', PYTHONIOENCODING: 'utf-8' },
    },
    onOutput: (piece) => (output = (output + piece.toString('utf8')).slice(-MAX_OUTPUT)),
    signal: limits.signal,
  });
  if (end.code !== 0) throw ytDlpFault(end, { url: order.url, fault: proxy.fault(), limits });
  const files = await filesOf(output, order.folder);
  // It also ends with 0 where it left something out.
  if (files.length > 0) return files;
  throw new AditError('SOURCE_REFUSED', `yt-dlp downloaded no film from ${order.url.hostname}.`);
}

async function filesOf(output: string, folder: string): Promise<string[]> {
  const files: string[] = [];
  for (const name of new Set(output.split('\n').map((line) => basename(line.trim())))) {
    if (!TOLD.test(name)) continue;
    const path = join(folder, name);
    // A link would lead out of the folder.
    const isFile = await lstat(path).then(
      (found) => found.isFile() && found.size > 0,
      () => false,
    );
    if (isFile) files.push(path);
  }
  return files;
}
