const SOI = 0xffd8;
const EOI = Buffer.from([0xff, 0xd9]);
const SOS = 0xda;
const COEFFICIENTS = 64;

/**
 * Returns a bare JPEG with the end marker added, where only the marker is missing and no scan; null for any other file.
 * Cameras and uploads that lost the last few bytes leave such files. A decoder takes the marker for the end of all data
 * and fills in missing pixels, so decoding this has to fail at the first warning.
 */
export function withEndMark(bare: Buffer): Buffer | null {
  if (bare.length < 4 || bare.readUInt16BE(0) !== SOI || bare.subarray(-2).equals(EOI)) return null;
  return hasAllScans(bare) ? Buffer.concat([bare, EOI]) : null;
}

/**
 * Tests that the scans refine every coefficient of every component to its last bit (ITU-T T.81, G.1.2). Decoders give
 * no warning when a progressive picture ends between two scans.
 */
function hasAllScans(bare: Buffer): boolean {
  /** Remaining bits of each coefficient, by component; 255 means all. */
  const missing = new Map<number, Uint8Array>();
  for (let at = 2; at + 4 <= bare.length;) {
    const code = bare.readUInt8(at + 1);
    // Skips the data of a scan: stuffed zeros, restarts and fill bytes.
    if (bare[at] !== 0xff || code < 0xc0 || code === 0xff || (code >= 0xd0 && code <= 0xd7)) {
      const next = bare.indexOf(0xff, at + 1);
      if (next < 0) break;
      at = next;
      continue;
    }
    const end = at + 2 + bare.readUInt16BE(at + 2);
    if (end > bare.length) return false;
    const body = bare.subarray(at + 4, end);
    if (isFrame(code)) noteComponents(body, missing);
    if (code === SOS) noteScan(body, missing);
    at = end;
  }
  return missing.size > 0 && [...missing.values()].every((bits) => bits.every((each) => each === 0));
}

/** Tests for SOF0 to SOF15, without the table markers among them. */
function isFrame(code: number): boolean {
  return code >= 0xc0 && code <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(code);
}

function noteComponents(frame: Buffer, missing: Map<number, Uint8Array>): void {
  for (let at = 6; at + 3 <= frame.length; at += 3) {
    missing.set(frame.readUInt8(at), new Uint8Array(COEFFICIENTS).fill(255));
  }
}

function noteScan(scan: Buffer, missing: Map<number, Uint8Array>): void {
  const [count = 0] = scan;
  if (scan.length < 4 + 2 * count) return;
  const [first, last, bits] = [1, 2, 3].map((behind) => scan.readUInt8(2 * count + behind));
  for (let at = 1; at < 1 + 2 * count; at += 2) {
    missing.get(scan.readUInt8(at))?.fill((bits ?? 0) & 0x0f, first, (last ?? 0) + 1);
  }
}
