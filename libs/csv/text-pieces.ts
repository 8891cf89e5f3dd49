/** Bytes of a file that are read between two turns of others: less than a millisecond. */
const PIECE = 2_048;

/** The text of a file in UTF-8 in short pieces, without its byte order mark. Bytes that are no UTF-8 become U+FFFD. */
export function* textPieces(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder();
  for (let at = 0; at < bytes.length; at += PIECE) {
    yield decoder.decode(bytes.subarray(at, at + PIECE), { stream: true });
  }
  yield decoder.decode();
}
