/**
 * Versions that the media suites were run on, the oldest first: `npm test -- --ffmpeg <major>` runs them. The results
 * are in docs/operating/servers.md.
 */
export const TRIED_FFMPEG = ['5.1', '7.1', '8.0', '9.0'] as const;

/** Returns a warning for an ffmpeg version that was not tested and does not lie between two tested ones; else null. */
export function untriedFfmpeg(version: string): string | null {
  const range = `Adit was tested with ${TRIED_FFMPEG[0]} to ${TRIED_FFMPEG.at(-1)}`;
  const number = /^n?(\d+)\.(\d+)/.exec(version);
  // Git builds have no version number.
  if (number === null) return `ffmpeg ${version} has no version that could be compared: ${range}`;
  const at = numberOf(`${number[1]}.${number[2]}`);
  if (at < numberOf(TRIED_FFMPEG[0])) return `ffmpeg ${version} is older than what was tried: ${range}`;
  if (at > numberOf(TRIED_FFMPEG.at(-1) ?? '')) return `ffmpeg ${version} is newer than what was tried: ${range}`;
  return null;
}

function numberOf(version: string): number {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major * 1000 + minor;
}
