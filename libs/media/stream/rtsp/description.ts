import { AditError } from '@adit/contracts';

/** A session description (RFC 8866) whose addresses lead to the relay, and where each of them leads from there. */
export interface RelayedDescription {
  text: Buffer;
  /** URL of the whole session at the server. */
  session: string;
  /** URL of each track at the server. */
  tracks: string[];
}

const MAX_TRACKS = 16;
const MAX_URL_LENGTH = 2048;
/** Kinds of media that are read. */
const READ = /^m=(video|audio) /;

/**
 * Rewrites a description: it keeps pictures and sound, names each by a URL of the relay, and holds no other address.
 * @param base URL that relative ones are appended to
 * @param origin of the server, `rtsp://host:port`: requests go nowhere else, whatever the description says
 * @param local URL of the relay
 */
export function relayedDescription(sdp: Buffer, base: string, origin: string, local: string): RelayedDescription {
  const [head = [], ...media] = sections(sdp);
  const kept = media.filter(([first = '']) => READ.test(first));
  if (kept.length === 0) throw unreadable('it describes neither pictures nor sound');
  if (kept.length > MAX_TRACKS) throw unreadable(`it has more than ${MAX_TRACKS} tracks`);
  const session = urlOf(controlOf(head), base, origin);
  const tracks = kept.map((lines) => urlOf(controlOf(lines), base, origin));
  const out = [...rewritten(head, `${local}/all`)];
  kept.forEach((lines, index) => out.push(...rewritten(lines, `${local}/${index}`)));
  return { text: Buffer.from(`${out.join('\r\n')}\r\n`, 'latin1'), session, tracks };
}

/** URL at the server that a URL of an answer means: appended to the base where it is relative, as cameras expect. */
export function urlOf(control: string | null, base: string, origin: string): string {
  const [, path] = /^rtsps?:\/\/[^/?]*(.*)$/i.exec(control ?? '') ?? [];
  let url = base;
  if (path !== undefined) url = origin + path;
  else if (control?.startsWith('/') === true) url = origin + control;
  else if (control !== null && control !== '*') url = `${base}${base.endsWith('/') ? '' : '/'}${control}`;
  if (url.length > MAX_URL_LENGTH || !/^[!-~]+$/.test(url)) throw unreadable('an address in it cannot be read');
  return url;
}

/** Lines before the first `m=`, then those of each medium. */
function sections(sdp: Buffer): string[][] {
  const all: string[][] = [[]];
  for (const line of sdp.toString('latin1').split(/\r\n|\r|\n/)) {
    if (!/^[a-z]=/.test(line)) continue;
    if (line.startsWith('m=')) all.push([]);
    all.at(-1)?.push(line);
  }
  return all;
}

function controlOf(lines: string[]): string | null {
  const line = lines.find((each) => each.startsWith('a=control:'));
  return line === undefined ? null : line.slice('a=control:'.length).trim();
}

function rewritten(lines: string[], control: string): string[] {
  const kept = lines
    .filter((line) => !/^a=(control|source-filter|rtcp)\b/.test(line))
    .map((line) => (line.startsWith('c=') ? 'c=IN IP4 0.0.0.0' : line));
  return [...kept, `a=control:${control}`];
}

function unreadable(reason: string): AditError {
  return new AditError('SOURCE_REFUSED', `The description of the stream cannot be read: ${reason}.`);
}
