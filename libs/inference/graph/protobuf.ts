/**
 * The subset of protobuf's wire format that editing an ONNX file needs
 * (https://protobuf.dev/programming-guides/encoding/).
 */
export type Field = [number: number, value: number | string | Uint8Array];

/** Encodes integers as varints, everything else length-delimited. */
export function message(fields: Field[]): Buffer {
  return Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === 'number') return Buffer.concat([varint(number * 8), varint(value)]);
      const bytes = typeof value === 'string' ? Buffer.from(value) : value;
      return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
    }),
  );
}

/** Encodes a field whose content lies in pieces, without copying them. */
export function fieldInPieces(number: number, pieces: readonly Uint8Array[]): Uint8Array[] {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return [fieldHead(number, length), ...pieces];
}

/** Encodes the key and length of a length-delimited field. */
export function fieldHead(number: number, length: number): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(length)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}

/** A field as it stands in a message. Its bytes are sliced on access, since most fields are skipped. */
export class ReadField {
  constructor(
    readonly number: number,
    /** Value of a varint; exact up to 2⁵³. */
    readonly value: number,
    private readonly message: Uint8Array,
    private readonly start: number,
    /** Start of a length-delimited field's content; `end` for any other field. */
    private readonly content: number,
    private readonly end: number,
  ) {}

  /** The whole field, to be copied unchanged. */
  get raw(): Uint8Array {
    return this.message.subarray(this.start, this.end);
  }

  /** Content of a length-delimited field, else empty. */
  get bytes(): Uint8Array {
    return this.message.subarray(this.content, this.end);
  }
}

/** Yields the fields of a message in order. Throws RangeError for an invalid message. */
export function* fieldsOf(bytes: Uint8Array): Generator<ReadField, undefined> {
  let at = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError('A protobuf message is cut short.');
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const start = at;
    const key = readVarint();
    const kind = key % 8;
    let value = 0;
    let content: number | null = null;
    if (kind === 0) value = readVarint();
    else if (kind === 1) at += 8;
    else if (kind === 5) at += 4;
    else if (kind === 2) {
      const length = readVarint();
      content = at;
      at += length;
    } else throw new RangeError(`Protobuf has no wire type ${kind}.`);
    if (at > bytes.length) throw new RangeError('A protobuf message is cut short.');
    yield new ReadField(Math.floor(key / 8), value, bytes, start, content ?? at, at);
  }
}

/** Returns the last field of that number, as protobuf readers do. */
export function fieldOf(bytes: Uint8Array, number: number): ReadField | undefined {
  let last: ReadField | undefined;
  for (const field of fieldsOf(bytes)) if (field.number === number) last = field;
  return last;
}
