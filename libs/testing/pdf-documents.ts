/** A JPEG in colour on a page: `width` points (1/72 inch) wide, its lower left corner at `left` and `bottom`. */
export interface PlacedPicture {
  jpeg: Buffer;
  left: number;
  bottom: number;
  width: number;
}

/** Pixels of a JPEG, as its frame header (SOF0 to SOF2) states them. Throws a RangeError without one. */
export function jpegSize(jpeg: Buffer): { width: number; height: number } {
  for (let at = 2; at + 9 < jpeg.length; at += 2 + jpeg.readUInt16BE(at + 2)) {
    const marker = jpeg.readUInt16BE(at);
    if (marker >= 0xffc0 && marker <= 0xffc2)
      return { height: jpeg.readUInt16BE(at + 5), width: jpeg.readUInt16BE(at + 7) };
  }
  throw new RangeError('It is no JPEG with a frame header.');
}

export interface PdfPage {
  /** Points; default A4 upright. */
  width?: number;
  height?: number;
  pictures?: readonly PlacedPicture[];
  /** Drawing operators before the pictures. */
  content?: string;
}

/**
 * A PDF document as ISO 32000 lays it out, one object after the other with a table of where they begin.
 * @param isLocked whether a password is needed that nobody knows
 */
export function pdfDocument(pages: readonly PdfPage[], { isLocked = false }: { isLocked?: boolean } = {}): Buffer {
  const objects: Buffer[] = [];
  const add = (...parts: (string | Buffer)[]): string => {
    objects.push(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))));
    return `${objects.length} 0 R`;
  };
  const stream = (dictionary: string, bytes: Buffer): string =>
    add(`<<${dictionary}/Length ${bytes.length}>>\nstream\n`, bytes, '\nendstream');
  const catalogue = add('<</Type/Catalog/Pages 2 0 R>>');
  // Names the pages, once they are there.
  const tree = add();
  const kids = pages.map(({ width = 595, height = 842, pictures = [], content = '' }) => {
    const images = pictures.map(({ jpeg }) => {
      const { width: columns, height: rows } = jpegSize(jpeg);
      const size = `/Width ${columns}/Height ${rows}/ColorSpace/DeviceRGB/BitsPerComponent 8`;
      return stream(`/Type/XObject/Subtype/Image${size}/Filter/DCTDecode`, jpeg);
    });
    const drawn = pictures.map(({ jpeg, ...each }, at) => {
      const { width: columns, height: rows } = jpegSize(jpeg);
      return `q ${each.width} 0 0 ${(each.width * rows) / columns} ${each.left} ${each.bottom} cm /I${at} Do Q`;
    });
    const contents = stream('', Buffer.from([content, ...drawn].join('\n'), 'latin1'));
    const resources = `/Resources<</XObject<<${images.map((image, at) => `/I${at} ${image}`).join('')}>>>>`;
    return add(`<</Type/Page/Parent ${tree}/MediaBox[0 0 ${width} ${height}]${resources}/Contents ${contents}>>`);
  });
  objects[1] = Buffer.from(`<</Type/Pages/Kids[${kids.join(' ')}]/Count ${kids.length}>>`, 'latin1');
  const key = '5a'.repeat(32);
  const locked = isLocked ? `/Encrypt<</Filter/Standard/V 1/R 2/O<${key}>/U<${key}>/P -4>>/ID[<${key}><${key}>]` : '';
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n', 'latin1')];
  const places: number[] = [];
  let length = parts[0]?.length ?? 0;
  const write = (bytes: Buffer): void => {
    parts.push(bytes);
    length += bytes.length;
  };
  objects.forEach((object, at) => {
    places.push(length);
    write(Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]));
  });
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const start = length;
  write(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<</Size ${objects.length + 1}/Root ${catalogue}${locked}>>\nstartxref\n${start}\n%%EOF\n`,
      'latin1',
    ),
  );
  return Buffer.concat(parts);
}
