/** A segment of a recording as its playlist lists it. */
export interface ListedSegment {
  seq: number;
  durationUs: number;
  /** Wall clock of its first picture. */
  timeStart: Date;
  bytes: number;
  discontinuity: boolean;
  /** Discontinuities up to it, its own included. */
  breaks: number;
  /** Digest of its header. */
  header: string;
}

/** Least target duration in seconds: it should not change, so it has room for the keyframes of most cameras. */
const TARGET_SECONDS = 10;

/**
 * Writes the media playlist (RFC 8216) of a recording, with addresses relative to its own. A live one asks players to
 * load it again; one that has ended does not.
 *
 * @param query - what each address ends with, such as `?ticket=…`
 */
export function recordingPlaylist(
  segments: readonly ListedSegment[],
  { ended, query }: { ended: boolean; query: string },
): string {
  const [first] = segments;
  const longest = Math.max(...segments.map(({ durationUs }) => Math.round(durationUs / 1e6)), TARGET_SECONDS);
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    `#EXT-X-TARGETDURATION:${longest}`,
    `#EXT-X-MEDIA-SEQUENCE:${first?.seq ?? 0}`,
    // The mark of the first segment counts where it is listed.
    `#EXT-X-DISCONTINUITY-SEQUENCE:${(first?.breaks ?? 0) - (first?.discontinuity === true ? 1 : 0)}`,
  ];
  let header: string | null = null;
  for (const segment of segments) {
    if (segment.discontinuity) lines.push('#EXT-X-DISCONTINUITY');
    // Players read it again behind each discontinuity.
    if (segment.header !== header || segment.discontinuity) {
      lines.push(`#EXT-X-MAP:URI="header-${segment.header}.mp4${query}"`);
    }
    header = segment.header;
    lines.push(
      `#EXT-X-PROGRAM-DATE-TIME:${segment.timeStart.toISOString()}`,
      `#EXTINF:${(segment.durationUs / 1e6).toFixed(6)},`,
      `${segment.seq}.m4s${query}`,
    );
  }
  if (ended) lines.push('#EXT-X-ENDLIST');
  return `${lines.join('\n')}\n`;
}
