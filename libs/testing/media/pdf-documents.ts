import { deflateSync } from 'node:zlib';

/** A JPEG in colour on a page: `width` points (1/72 inch) wide, its lower left corner at `left` and `bottom`. */
export interface PlacedPicture {
  jpeg: Buffer;
  left: number;
  bottom: number;
  width: number;
}

/** The size of a JPEG in pixels by its frame header (SOF0 to SOF2). Throws a RangeError without one. */
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
  /** Pictures in the fields of a form. */
  fields?: readonly PlacedPicture[];
  /** Drawing operators before the pictures. */
  content?: string;
  /** Points that a unit of the page is; default 1. */
  userUnit?: number;
}

/**
 * Writes a PDF document as ISO 32000 describes it, one object after the other with a table of their places.
 * @param isLocked encrypts it with a password that nobody knows
 * @param isPacked compresses all objects that are no streams into one stream, as writers of PDF 1.5 do
 */
export function pdfDocument(
  pages: readonly PdfPage[],
  { isLocked = false, isPacked = false }: { isLocked?: boolean; isPacked?: boolean } = {},
): Buffer {
  const objects: Buffer[] = [];
  const add = (...parts: (string | Buffer)[]): string => {
    objects.push(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))));
    return `${objects.length} 0 R`;
  };
  const stream = (dictionary: string, bytes: Buffer): string =>
    add(`<<${dictionary}/Length ${bytes.length}>>\nstream\n`, bytes, '\nendstream');
  // Filled at the end: they list all fields and pages.
  const catalogue = add();
  const tree = add();
  const widgets: string[] = [];
  const imageOf = ({ jpeg }: PlacedPicture): string => {
    const { width: columns, height: rows } = jpegSize(jpeg);
    const size = `/Width ${columns}/Height ${rows}/ColorSpace/DeviceRGB/BitsPerComponent 8`;
    return stream(`/Type/XObject/Subtype/Image${size}/Filter/DCTDecode`, jpeg);
  };
  const fieldOf = (picture: PlacedPicture): string => {
    const { width: columns, height: rows } = jpegSize(picture.jpeg);
    const { left, bottom, width } = picture;
    const height = (width * rows) / columns;
    const form = `/Type/XObject/Subtype/Form/BBox[0 0 ${width} ${height}]/Resources<</XObject<</I0 ${imageOf(picture)}>>>>`;
    const appearance = stream(form, Buffer.from(`q ${width} 0 0 ${height} 0 0 cm /I0 Do Q`, 'latin1'));
    const kind = `/Type/Annot/Subtype/Widget/FT/Btn/Ff 65536/F 4/T(photo ${widgets.length})`;
    const widget = add(`<<${kind}/Rect[${left} ${bottom} ${left + width} ${bottom + height}]/AP<</N ${appearance}>>>>`);
    widgets.push(widget);
    return widget;
  };
  const kids = pages.map(({ width = 595, height = 842, pictures = [], fields = [], content = '', userUnit }) => {
    const images = pictures.map(imageOf);
    const drawn = pictures.map(({ jpeg, ...each }, at) => {
      const { width: columns, height: rows } = jpegSize(jpeg);
      return `q ${each.width} 0 0 ${(each.width * rows) / columns} ${each.left} ${each.bottom} cm /I${at} Do Q`;
    });
    const contents = stream('', Buffer.from([content, ...drawn].join('\n'), 'latin1'));
    const resources = `/Resources<</XObject<<${images.map((image, at) => `/I${at} ${image}`).join('')}>>>>`;
    const annotations = fields.length === 0 ? '' : `/Annots[${fields.map(fieldOf).join(' ')}]`;
    const unit = userUnit === undefined ? '' : `/UserUnit ${userUnit}`;
    const size = `/MediaBox[0 0 ${width} ${height}]${unit}`;
    return add(`<</Type/Page/Parent ${tree}${size}${resources}${annotations}/Contents ${contents}>>`);
  });
  const form = widgets.length === 0 ? '' : `/AcroForm<</Fields[${widgets.join(' ')}]>>`;
  objects[0] = Buffer.from(`<</Type/Catalog/Pages ${tree}${form}>>`, 'latin1');
  objects[1] = Buffer.from(`<</Type/Pages/Kids[${kids.join(' ')}]/Count ${kids.length}>>`, 'latin1');
  return isPacked ? packedDocument(objects, catalogue) : plainDocument(objects, catalogue, isLocked);
}

/** Objects one after the other, and a table of their places. */
function plainDocument(objects: readonly Buffer[], catalogue: string, isLocked: boolean): Buffer {
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

/** Dictionaries in one compressed stream, and the places of all objects in another (ISO 32000-1, 7.5.7 and 7.5.8). */
function packedDocument(objects: readonly Buffer[], catalogue: string): Buffer {
  const isStream = (object: Buffer): boolean => object.includes('\nstream\n');
  const packed = objects.flatMap((object, at) => (isStream(object) ? [] : [{ number: at + 1, object }]));
  let offset = 0;
  const index = packed.map(({ number, object }) => {
    const entry = `${number} ${offset}`;
    offset += object.length + 1;
    return entry;
  });
  const first = Buffer.from(`${index.join(' ')}\n`);
  const content = deflateSync(Buffer.concat([first, ...packed.flatMap(({ object }) => [object, Buffer.from('\n')])]));
  const container = objects.length + 1;
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n', 'latin1')];
  // Kind and place of each object.
  const rows: [number, number, number][] = [[0, 0, 0]];
  let length = parts[0]?.length ?? 0;
  const write = (number: number, ...pieces: Buffer[]): void => {
    const bytes = Buffer.concat([Buffer.from(`${number} 0 obj\n`), ...pieces, Buffer.from('\nendobj\n')]);
    parts.push(bytes);
    length += bytes.length;
  };
  objects.forEach((object, at) => {
    const place = packed.findIndex(({ number }) => number === at + 1);
    rows.push(place < 0 ? [1, length, 0] : [2, container, place]);
    if (place < 0) write(at + 1, object);
  });
  const streamOf = (dictionary: string, bytes: Buffer): Buffer[] => [
    Buffer.from(`<<${dictionary}/Length ${bytes.length}>>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ];
  rows.push([1, length, 0], [1, 0, 0]);
  const packing = `/Type/ObjStm/N ${packed.length}/First ${first.length}/Filter/FlateDecode`;
  write(container, ...streamOf(packing, content));
  const start = length;
  rows[container + 1] = [1, start, 0];
  const table = Buffer.alloc(rows.length * 7);
  rows.forEach(([kind, place, within], at) => {
    table.writeUInt8(kind, at * 7);
    table.writeUInt32BE(place, at * 7 + 1);
    table.writeUInt16BE(within, at * 7 + 5);
  });
  write(container + 1, ...streamOf(`/Type/XRef/Size ${rows.length}/W[1 4 2]/Root ${catalogue}`, table));
  parts.push(Buffer.from(`startxref\n${start}\n%%EOF\n`));
  return Buffer.concat(parts);
}
