/**
 * PostgreSQL's binary form of a one-dimensional real[]: 20 bytes of header, then length and value of each, big-endian.
 */
const [HEADER_BYTES, ITEM_BYTES] = [20, 8];

/** Returns a bit per value, 1 above zero, the first one highest in its byte, as in pgvector's binary_quantize. */
export function packedSigns(embedding: ArrayLike<number>): Uint8Array {
  const signs = new Uint8Array(Math.ceil(embedding.length / 8));
  for (let at = 0; at < embedding.length; at += 1) {
    if ((embedding[at] ?? 0) > 0) signs[at >> 3] = (signs[at >> 3] ?? 0) | (0x80 >> (at & 7));
  }
  return signs;
}

/** Returns the same for an array from `array_send`. */
export function packedSignsOfArray(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = (bytes.byteLength - HEADER_BYTES) / ITEM_BYTES;
  return packedSigns(Array.from({ length }, (_, at) => view.getFloat32(HEADER_BYTES + ITEM_BYTES * at + 4)));
}
