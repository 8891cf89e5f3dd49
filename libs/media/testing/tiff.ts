/** Values of an entry by tag: 16 bits each, or 32 where `isLong`. */
export interface TiffEntry {
  values: readonly number[];
  isLong?: boolean;
}

interface TiffLayout {
  isLittle: boolean;
  isBig: boolean;
  /** Pages with their pixels, each in one strip. */
  pages: readonly { entries: Record<number, TiffEntry>; pixels: Buffer }[];
}

const [STRIP_OFFSETS, STRIP_BYTES] = [273, 279];

/** Builds a TIFF 6.0 or BigTIFF in either byte order: pixels first, directories behind them, as most programs do. */
export function tiffFile({ isLittle, isBig, pages }: TiffLayout): Buffer {
  const [headBytes, countBytes, offsetBytes] = isBig ? [16, 8, 8] : [8, 2, 4];
  const number = (value: number, length: number): Buffer => {
    const bytes = Buffer.alloc(length);
    bytes.writeUIntLE(value, 0, Math.min(length, 6));
    return isLittle ? bytes : bytes.reverse();
  };
  const parts: Buffer[] = [];
  let length = headBytes;
  const add = (bytes: Buffer): number => {
    const at = length;
    const padded = bytes.length % 2 === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(1)]);
    parts.push(padded);
    length += padded.length;
    return at;
  };
  const strips = pages.map(({ pixels }) => add(pixels));
  const directories = pages.map(({ entries, pixels }, page) => {
    const all: Record<number, TiffEntry> = {
      [STRIP_OFFSETS]: { values: [strips[page] ?? 0], isLong: true },
      [STRIP_BYTES]: { values: [pixels.length], isLong: true },
      ...entries,
    };
    const rows = Object.entries(all).map(([tag, { values, isLong = false }]) => {
      const bytes = Buffer.concat(values.map((value) => number(value, isLong ? 4 : 2)));
      const value = bytes.length > offsetBytes ? number(add(bytes), offsetBytes) : bytes;
      const row = [number(Number(tag), 2), number(isLong ? 4 : 3, 2), number(values.length, offsetBytes), value];
      return Buffer.concat([...row, Buffer.alloc(offsetBytes - value.length)]);
    });
    return Buffer.concat([number(rows.length, countBytes), ...rows]);
  });
  const first = length;
  directories.forEach((directory, page) => {
    const isLast = page === directories.length - 1;
    add(Buffer.concat([directory, number(isLast ? 0 : length + directory.length + offsetBytes, offsetBytes)]));
  });
  const head = [Buffer.from(isLittle ? 'II' : 'MM'), number(isBig ? 43 : 42, 2)];
  if (isBig) head.push(number(8, 2), number(0, 2));
  return Buffer.concat([...head, number(first, offsetBytes), ...parts]);
}
