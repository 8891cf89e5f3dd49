/** Where a stream is, in the words of RTMP. */
export interface RtmpTarget {
  app: string;
  tcUrl: string;
  /** Name of the stream within the app. */
  playPath: string;
}

export const COMMAND = 20;
const [NUMBER, STRING, OBJECT, NULL] = [0, 2, 3, 5];
const END_OF_OBJECT = Buffer.from([0, 0, 9]);

/**
 * Rewrites a command of the reader (AMF0): where it names the relay it names the target. Returns others as they are.
 * Throws a RangeError when it does not name `app`, which the reader alone knows, or cannot be read.
 */
export function rewrittenCommand(payload: Buffer, app: string, target: RtmpTarget): Buffer {
  const name = stringAt(payload, 0);
  if (name === null) throw new RangeError('A command has no name.');
  const transaction = payload.subarray(name.end, name.end + 9);
  if (transaction[0] !== NUMBER || transaction.length < 9) throw new RangeError('A command has no number.');
  const head = payload.subarray(0, name.end + 9);
  const rest = payload.subarray(name.end + 9);
  if (name.text === 'connect') return Buffer.concat([head, connectObject(rest, app, target)]);
  if (name.text !== 'play' && name.text !== 'getStreamLength') return payload;
  const path = stringAt(rest, 1);
  if (rest[0] !== NULL || path === null) throw new RangeError('A command names no stream.');
  return Buffer.concat([head, rest.subarray(0, 1), amfString(target.playPath), rest.subarray(path.end)]);
}

/** Splits an address as players do: an app of one part, or of two where more follow, and the rest. */
export function rtmpTarget(origin: string, path: string): RtmpTarget {
  const [, query = ''] = /(\?.*)$/s.exec(path) ?? [];
  const parts = path
    .slice(0, path.length - query.length)
    .split('/')
    .slice(1);
  const count = parts.length > 2 ? 2 : 1;
  const app = parts.slice(0, count).join('/');
  const playPath = parts.slice(count).join('/') + query;
  return { app, tcUrl: `${origin}/${app}`, playPath };
}

/** The object of `connect`, whose values from ffmpeg are strings, numbers and booleans. */
function connectObject(rest: Buffer, app: string, target: RtmpTarget): Buffer {
  if (rest[0] !== OBJECT) throw new RangeError('The command to connect has no object.');
  const parts: Buffer[] = [rest.subarray(0, 1)];
  let isOurs = false;
  let at = 1;
  while (rest.readUInt16BE(at) > 0) {
    const keyEnd = at + 2 + rest.readUInt16BE(at);
    const key = rest.toString('latin1', at + 2, keyEnd);
    const text = stringAt(rest, keyEnd);
    const end = text?.end ?? keyEnd + (rest[keyEnd] === NUMBER ? 9 : 2);
    if (end > rest.length) throw new RangeError('The command to connect ends too early.');
    if (key === 'app') isOurs = text?.text === app;
    const value = key === 'app' ? amfString(target.app) : key === 'tcUrl' ? amfString(target.tcUrl) : null;
    parts.push(rest.subarray(at, keyEnd), value ?? rest.subarray(keyEnd, end));
    at = end;
  }
  if (!isOurs) throw new RangeError('The reader is not ours.');
  return Buffer.concat([...parts, END_OF_OBJECT]);
}

function stringAt(bytes: Buffer, at: number): { text: string; end: number } | null {
  if (bytes[at] !== STRING || bytes.length < at + 3) return null;
  const end = at + 3 + bytes.readUInt16BE(at + 1);
  return end > bytes.length ? null : { text: bytes.toString('utf8', at + 3, end), end };
}

function amfString(text: string): Buffer {
  const bytes = Buffer.from(text);
  const head = Buffer.from([STRING, bytes.length >> 8, bytes.length & 255]);
  return Buffer.concat([head, bytes]);
}
