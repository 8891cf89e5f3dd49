/** The first `share` (0..1) of a file, as a broken connection leaves it. */
export function cutAt(bytes: Buffer, share: number): Buffer {
  return bytes.subarray(0, Math.floor(bytes.length * share));
}

/** The file with everything between two shares (0..1) of its length overwritten by a pattern that no codec writes. */
export function hurtBetween(bytes: Buffer, from: number, to: number): Buffer {
  return Buffer.from(bytes).fill(0x55, Math.floor(bytes.length * from), Math.floor(bytes.length * to));
}

/** The QuickTime/MP4 file whose first sample entry of type `fourcc` states another picture size (ISO/IEC 14496-12, 12.1.3). */
export function withStatedSize(bytes: Buffer, fourcc: string, width: number, height: number): Buffer {
  const at = bytes.indexOf(fourcc, bytes.indexOf('stsd'), 'latin1');
  if (at < 0) throw new RangeError(`The file has no sample entry ${fourcc}.`);
  const changed = Buffer.from(bytes);
  changed.writeUInt16BE(width, at + 28);
  changed.writeUInt16BE(height, at + 30);
  return changed;
}

/** The MP4, its index at its end, with a comment of so many bytes of 0x01, each of which takes six in JSON. */
export function withComment(mp4: Buffer, length: number): Buffer {
  const atom = (type: string, ...content: Buffer[]): Buffer => {
    const body = Buffer.concat(content);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(body.length + 8);
    head.write(type, 4, 'latin1');
    return Buffer.concat([head, body]);
  };
  const handler = Buffer.from('\0\0\0\0\0\0\0\0mdirappl\0\0\0\0\0\0\0\0\0', 'latin1');
  const data = atom('data', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]), Buffer.alloc(length, 1));
  const meta = atom('meta', Buffer.alloc(4), atom('hdlr', handler), atom('ilst', atom('\xa9cmt', data)));
  const at = mp4.lastIndexOf('moov', undefined, 'latin1') - 4;
  if (at < 0 || at + mp4.readUInt32BE(at) !== mp4.length) throw new RangeError('The index is not at the end.');
  const changed = Buffer.concat([mp4, atom('udta', meta)]);
  changed.writeUInt32BE(changed.length - at, at);
  return changed;
}
