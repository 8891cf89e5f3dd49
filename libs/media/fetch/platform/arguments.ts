import { join } from 'node:path';

/** Seconds of film are looked at in pictures of at most this many lines, so that more would be thrown away. */
const LINES = 1080;

export interface YtDlpOrder {
  url: URL;
  /** Private folder that it downloads into. */
  folder: string;
  extractors: readonly string[];
  idleTimeoutSeconds: number;
  /** Trusts the certificates that SSL_CERT_FILE and SSL_CERT_DIR name, and not those of its own package. */
  trustsSystem: boolean;
}

/**
 * Returns yt-dlp's arguments. It downloads pictures and sound as they are, each into a file of its own, and does nothing
 * else: ffmpeg, which would open what a file refers to, is never started by it.
 */
export function ytDlpArguments({ url, folder, extractors, idleTimeoutSeconds, trustsSystem }: YtDlpOrder): string[] {
  return [
    // Nothing of the user's: plug-ins are code, and come in spite of --ignore-config.
    ...['--ignore-config', '--no-plugin-dirs', '--no-remote-components', '--no-cache-dir'],
    ...['--no-cookies', '--no-cookies-from-browser'],
    // A player's scripts run in our Node, which yt-dlp starts without permissions.
    ...['--no-js-runtimes', '--js-runtimes', `node:${process.execPath}`],
    ...['--use-extractors', extractors.join(','), '--no-playlist'],
    // One that lasts or has not begun cannot be downloaded; exit code 101.
    ...['--break-match-filters', 'live_status!=?is_live & live_status!=?is_upcoming & live_status!=?post_live'],
    ...['--format', 'bv*,ba', '--format-sort', `res:${LINES},vcodec:h264,acodec:aac`],
    ...['--downloader', 'native', '--fixup', 'never', '--ffmpeg-location', join(folder, 'none'), '--no-exec'],
    // Without this it leaves out what a server lacks, and calls the rest a film.
    '--abort-on-unavailable-fragments',
    ...['--socket-timeout', String(idleTimeoutSeconds), '--retries', '3', '--fragment-retries', '3'],
    ...['--extractor-retries', '1'],
    ...(trustsSystem ? ['--compat-options', 'no-certifi'] : []),
    ...['--color', 'never', '--no-warnings', '--no-progress', '--no-mtime'],
    ...['--no-simulate', '--print', 'after_move:filepath'],
    ...['--output', join(folder.replaceAll('%', '%%'), '%(autonumber)d.film')],
    ...['--', url.href],
  ];
}
