import type { Socket } from 'node:net';

/** How the answer of a SHOUTcast 1 server begins, and that of an HTTP server. The rest is the same. */
const SHOUTCAST = Buffer.from('ICY ');
const HTTP = Buffer.from('HTTP/1.0 ');

/** Has whoever reads a socket find HTTP where its first answer begins as SHOUTcast 1 does (`ICY 200 OK`). */
export function readShoutcast(socket: Socket): void {
  const read = socket.read.bind(socket);
  let begun: Buffer | null = Buffer.alloc(0);
  socket.read = (size?: number): unknown => {
    const bytes: unknown = read(size);
    if (begun === null || !Buffer.isBuffer(bytes)) return bytes;
    begun = Buffer.concat([begun, bytes]);
    const [first, expected] = [begun.subarray(0, SHOUTCAST.length), SHOUTCAST.subarray(0, begun.length)];
    const isShoutcast = first.equals(expected);
    // It may be one: the next bytes tell.
    if (isShoutcast && first.length < SHOUTCAST.length) return null;
    const answer = isShoutcast ? Buffer.concat([HTTP, begun.subarray(SHOUTCAST.length)]) : begun;
    begun = null;
    return answer;
  };
}
