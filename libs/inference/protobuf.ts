/** As much of protobuf's wire format as editing an ONNX file needs (https://protobuf.dev/programming-guides/encoding/). */
export type Field = [number: number, value: number | string | Uint8Array];

/** Whole numbers are written as varints, everything else length-delimited. */
export function message(fields: Field[]): Buffer {
  return Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === 'number') return Buffer.concat([varint(number * 8), varint(value)]);
      const bytes = typeof value === 'string' ? Buffer.from(value) : value;
      return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
    }),
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}

interface ReadField {
  number: number;
  /** The whole field, to be copied as it is. */
  raw: Uint8Array;
  /** Of a length-delimited field. */
  bytes: Uint8Array;
  /** Of a varint; exact up to 2⁵³. */
  value: number;
}

/** The fields of a message in their order. Throws RangeError when the bytes are none. */
export function* fieldsOf(bytes: Uint8Array): Generator<ReadField> {
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
    const field: ReadField = { number: Math.floor(key / 8), raw: bytes, bytes: new Uint8Array(0), value: 0 };
    if (kind === 0) field.value = readVarint();
    else if (kind === 1) at += 8;
    else if (kind === 5) at += 4;
    else if (kind === 2) {
      const length = readVarint();
      field.bytes = bytes.subarray(at, at + length);
      at += length;
    } else throw new RangeError(`Protobuf has no wire type ${kind}.`);
    if (at > bytes.length) throw new RangeError('A protobuf message is cut short.');
    field.raw = bytes.subarray(start, at);
    yield field;
  }
}

/** The last field of that number, as protobuf's readers take it. */
export function fieldOf(bytes: Uint8Array, number: number): ReadField | undefined {
  return [...fieldsOf(bytes)].findLast((field) => field.number === number);
}
