/** Matroska files written element by element (RFC 8794, RFC 9559). Ids are in hexadecimal. */

/** An element of a stated size, in eight bytes. */
export function element(id: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(id, 'hex'), sizeOf(BigInt(body.length)), body]);
}

/** The beginning of an element that states another size than what follows has. */
export function elementOf(id: string, bytes: bigint): Buffer {
  return Buffer.concat([Buffer.from(id, 'hex'), sizeOf(bytes)]);
}

/** The beginning of an element of unknown size. */
export function openElement(id: string): Buffer {
  return elementOf(id, 2n ** 56n - 1n);
}

export function unsigned(id: string, value: number | bigint): Buffer {
  const body = Buffer.alloc(8);
  body.writeBigUInt64BE(BigInt(value));
  return element(id, body);
}

export function text(id: string, value: string): Buffer {
  return element(id, Buffer.from(value));
}

function sizeOf(bytes: bigint): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(bytes | (1n << 56n));
  return size;
}

/** A file of one segment of unknown size. */
export function matroska(...parts: Buffer[]): Buffer {
  const header = [unsigned('4286', 1), unsigned('42f7', 1), text('4282', 'matroska'), unsigned('4287', 4)];
  return Buffer.concat([element('1a45dfa3', Buffer.concat(header)), openElement('18538067'), ...parts]);
}

/** Segment information with a timestamp scale in nanoseconds. */
export function information(scale: number | bigint = 1_000_000): Buffer {
  return element('1549a966', Buffer.concat([unsigned('2ad7b1', scale), text('4d80', 'test'), text('5741', 'test')]));
}

export function videoTrack(codec = 'V_VP8', [width, height] = [64, 48]): Buffer {
  const size = element('e0', Buffer.concat([unsigned('b0', width), unsigned('ba', height)]));
  const entries = [unsigned('d7', 1), unsigned('73c5', 1), unsigned('83', 1), text('86', codec), size];
  return element('ae', Buffer.concat(entries));
}

export function tracks(...entries: Buffer[]): Buffer {
  return element('1654ae6b', Buffer.concat(entries));
}

/** A cluster of one block of the first track, at a time in units of the scale. */
export function cluster(time: number | bigint, frame: Buffer): Buffer {
  const block = element('a3', Buffer.concat([Buffer.from([0x81, 0, 0, 0x80]), frame]));
  return element('1f43b675', Buffer.concat([unsigned('e7', time), block]));
}

/** Returns the file with elements added to the entry of each track. Its segment has to be of unknown size. */
export function withTrackElements(file: Buffer, added: Buffer): Buffer {
  // The list of seek positions in front names the element too.
  const at = file.lastIndexOf(Buffer.from('1654ae6b', 'hex'), file.indexOf(Buffer.from('1f43b675', 'hex')));
  const all = bodyAt(file, at + 4);
  const entries: Buffer[] = [];
  for (let from = all.start; from < all.end;) {
    const body = bodyAt(file, from + 1);
    const isTrack = file[from] === 0xae;
    const own = file.subarray(body.start, body.end);
    entries.push(isTrack ? element('ae', Buffer.concat([own, added])) : file.subarray(from, body.end));
    from = body.end;
  }
  return Buffer.concat([file.subarray(0, at), tracks(...entries), file.subarray(all.end)]);
}

function bodyAt(file: Buffer, sizeAt: number): { start: number; end: number } {
  const bytes = Math.clz32(file.readUInt8(sizeAt)) - 23;
  const start = sizeAt + bytes;
  // The marker in front of the digits does not count.
  const first = file.readUInt8(sizeAt) % 2 ** (8 - bytes);
  const size = [first, ...file.subarray(sizeAt + 1, start)].reduce((sum, byte) => sum * 256 + byte, 0);
  return { start, end: start + size };
}
