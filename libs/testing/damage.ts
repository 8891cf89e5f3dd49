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
