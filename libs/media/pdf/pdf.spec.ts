/** @needs ffmpeg */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createDeflate, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { pageFacts, type PdfFacts } from '@adit/contracts';
import { jpegSize, meanDifference, packageFolder, pdfDocument, type PlacedPicture } from '@adit/testing';
import { decodePage, openFramePackBuffer, probeMedia, type RgbImage } from '../index.js';
import { OpenDocuments } from './open-documents.js';
import { sizeOfPage } from './pdf-orders.js';
import { drawPage } from './pdf.js';

let folder: string;
let photo: PlacedPicture;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-pdf-'));
  const jpeg = await readFile(join(packageFolder('@vladmandic/face-api'), 'demo/sample1.jpg'));
  photo = { jpeg, left: 36, bottom: 100, width: 300 };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let files = 0;
async function file(bytes: Buffer): Promise<string> {
  const path = join(folder, `${(files += 1)}.pdf`);
  await writeFile(path, bytes);
  return path;
}

async function probed(bytes: Buffer): Promise<{ path: string; facts: PdfFacts }> {
  const path = await file(bytes);
  const { facts, index } = await probeMedia(path);
  if (facts.kind !== 'pdf') throw new Error(`It is taken for ${facts.kind}.`);
  expect(index).toBeNull();
  return { path, facts };
}

describe('PDF documents', () => {
  it('report their number of pages and the drawn size of each: 200 dpi, no side above 4000', async () => {
    const { facts } = await probed(
      pdfDocument([{}, {}, { width: 842, height: 595 }, { width: 14_400, height: 7200 }, { width: 0.1, height: 0.1 }]),
    );
    expect(facts).toEqual({
      kind: 'pdf',
      pages: 5,
      sizes: [
        { from: 0, width: 1653, height: 2339 },
        { from: 2, width: 2339, height: 1653 },
        { from: 3, width: 4000, height: 2000 },
        { from: 4, width: 1, height: 1 },
      ],
    });
    expect(pageFacts(facts, 1)).toEqual({ kind: 'image', format: 'pdf', width: 1653, height: 2339 });
    expect(pageFacts(facts, 3)).toMatchObject({ width: 4000, height: 2000 });
  });

  it('are drawn page by page, with content, colours and positions as printed, over white', async () => {
    const { path, facts } = await probed(
      pdfDocument([{}, { pictures: [photo], content: '1 0 0 rg 500 742 95 100 re f' }]),
    );
    const page = await drawPage({ path, facts, page: 1 });
    expect(page).toMatchObject({ width: 1653, height: 2339 });
    const pixels = sharp(page.data, { raw: { width: page.width, height: page.height, channels: 3 } });
    const dots = 200 / 72;
    const size = jpegSize(photo.jpeg);
    const height = (photo.width * size.height) / size.width;
    const box = {
      left: Math.round(photo.left * dots),
      top: Math.round((842 - photo.bottom - height) * dots),
      width: Math.round(photo.width * dots),
      height: Math.round(height * dots),
    };
    const shown = await pixels.clone().extract(box).raw().toBuffer();
    const own = await sharp(photo.jpeg).resize({ width: box.width, height: box.height, fit: 'fill' }).raw().toBuffer();
    // Mean difference of 0..255; another picture differs by some 80.
    expect(meanDifference(shown, own)).toBeLessThan(6);
    const corner = await pixels.clone().extract({ left: 1600, top: 20, width: 1, height: 1 }).raw().toBuffer();
    expect([...corner]).toEqual([255, 0, 0]);
    const paper = await pixels.clone().extract({ left: 5, top: 5, width: 1, height: 1 }).raw().toBuffer();
    expect([...paper]).toEqual([255, 255, 255]);
  });

  it('are drawn with the content of form fields like any other content', async () => {
    const printed = await probed(pdfDocument([{ pictures: [photo] }]));
    const own = await drawPage({ ...printed, page: 0 });
    for (const isPacked of [false, true]) {
      const { path, facts } = await probed(pdfDocument([{}, { fields: [photo] }], { isPacked }));
      const [empty, filled] = [await drawPage({ path, facts, page: 0 }), await drawPage({ path, facts, page: 1 })];
      expect(meanDifference(filled.data, own.data)).toBeLessThan(1);
      expect(meanDifference(filled.data, empty.data)).toBeGreaterThan(5);
    }
  });

  it.each([false, true])('respect the user units of their pages: packed %s', async (isPacked) => {
    const small = { ...photo, left: 3.6, bottom: 10, width: 30 };
    const pages = [
      { width: 59.5, height: 84.2, pictures: [small], userUnit: 10 },
      { width: 595, height: 842, userUnit: 1 },
      { width: 595, height: 842, userUnit: 75_000 },
      { width: 595, height: 842, userUnit: 0 },
      { width: 5950, height: 8420, userUnit: 0.1 },
    ];
    const { path, facts } = await probed(pdfDocument(pages, { isPacked }));
    expect(facts.sizes).toEqual([
      { from: 0, width: 1653, height: 2339 },
      { from: 2, width: 2827, height: 4000 },
      { from: 3, width: 1653, height: 2339 },
    ]);
    const large = await probed(pdfDocument([{ pictures: [{ ...photo, bottom: 100 }] }]));
    const [page, own] = [await drawPage({ path, facts, page: 0 }), await drawPage({ ...large, page: 0 })];
    expect(meanDifference(page.data, own.data)).toBeLessThan(2);
  });

  it.each([
    ['a byte order mark', '\xef\xbb\xbf'],
    ['blank lines', '\r\n\r\n  \n'],
    ['the head of a mail', `Received: from a.example\r\n${'X-Note: as mailers add them\r\n'.repeat(300)}\r\n`],
    ['orders to a printer', '\x1b%-12345X@PJL JOB\r\n@PJL ENTER LANGUAGE=PDF\r\n'],
    ['bytes of a file system', `\0\x05name.pdf${'\0'.repeat(117)}`],
  ])('are recognised behind %s', async (_, front) => {
    const document = pdfDocument([{ width: 36, height: 36, content: '1 0 0 rg 0 0 36 36 re f' }]);
    const { path, facts } = await probed(Buffer.concat([Buffer.from(front, 'latin1'), document]));
    const page = await drawPage({ path, facts, page: 0 });
    expect([...page.data.subarray(0, 3)]).toEqual([255, 0, 0]);
  });

  it.each([
    ['a text about them', 'A document begins with\n%PDF-1.7\nand a few bytes.\n'],
    ['a playlist', `#EXTM3U\n%PDF-1.7\n1 0 obj\n`],
    ['a web page', '<html>\n%PDF-1.7\n1 0 obj\n'],
  ])('are not recognised in %s', async (_, text) => {
    await expect(probeMedia(await file(Buffer.from(text)))).rejects.toThrow(/The file is (text|a playlist|a web page)/);
  });

  it('yield each page as a picture of its own', async () => {
    const { path, facts } = await probed(pdfDocument([{}, { pictures: [photo] }]));
    const specs = [
      { rate: 2, shorterSide: 640 },
      { rate: 2, shorterSide: 'native' as const },
    ];
    const packs = await decodePage({ path, facts, page: 1, specs });
    const opened = await Promise.all([...packs.values()].map((pack) => openFramePackBuffer(pack)));
    expect(opened.map(({ frames }) => frames)).toEqual([
      [{ frame: 0, pts: 0, time: 0, width: 640, height: 906 }],
      [{ frame: 0, pts: 0, time: 0, width: 1653, height: 2339 }],
    ]);
  });

  it.each([
    ['locked by a password', () => pdfDocument([{}], { isLocked: true }), /locked by a password: save it without one/],
    ['of nothing', () => Buffer.from('%PDF-1.7\nnothing at all'), /damaged/],
    ['without a page', () => pdfDocument([]), /no pages|damaged/],
    [
      'of 2,001 pages',
      () => pdfDocument(Array.from({ length: 2001 }, () => ({}))),
      /2001 pages; at most 2000 are mined/,
    ],
  ])('that are %s are refused with a clear reason', async (_, make, sentence) => {
    await expect(probeMedia(await file(make()))).rejects.toThrow(sentence);
  });

  it('that unpack beyond the memory limit of a document are refused, and this process does not grow', async () => {
    // Half a gigabyte of spaces, compressed twice: drawing them takes twice as much.
    const spaces = Readable.from(Array<Buffer>(512).fill(Buffer.alloc(2 ** 20, ' ')), { objectMode: false });
    const packed = deflateSync(await buffer(spaces.pipe(createDeflate())));
    const bomb = Buffer.from(
      pdfDocument([{ content: 'BOMB' }])
        .toString('latin1')
        .replace(/<<\/Length \d+>>\nstream\nBOMB/, () => {
          return `<</Filter[/FlateDecode/FlateDecode]/Length ${packed.length}>>\nstream\n${packed.toString('latin1')}`;
        }),
      'latin1',
    );
    const { path, facts } = await probed(bomb);
    const before = process.memoryUsage().rss;
    await expect(drawPage({ path, facts, page: 0 })).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      message: expect.stringMatching(/needs more than 1024 MiB/),
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20);
  });

  it('stop on abort', async () => {
    const { path, facts } = await probed(pdfDocument([{ pictures: [photo] }]));
    const stop = new AbortController();
    const drawing = drawPage({ path, facts, page: 0 }, stop.signal);
    stop.abort(new Error('the job was stopped'));
    await expect(drawing).rejects.toThrow('the job was stopped');
  });
});

describe('documents that stay open', () => {
  let documents: OpenDocuments;
  beforeEach(() => {
    documents = new OpenDocuments(600_000);
  });
  afterEach(() => documents.close());

  const colours = ['1 0 0', '0 1 0', '0 0 1', '1 1 0'];
  const coloured = (): Buffer =>
    pdfDocument(colours.map((colour) => ({ width: 36, height: 36, content: `${colour} rg 0 0 36 36 re f` })));
  const middleOf = ({ data, width, height }: RgbImage): number[] => {
    const at = 3 * (Math.floor(height / 2) * width + Math.floor(width / 2));
    return [...data.subarray(at, at + 3)];
  };

  it('are loaded once for consecutive pages, each drawn as it is alone', async () => {
    const { path, facts } = await probed(coloured());
    const drawn: RgbImage[] = [];
    for (let page = 0; page < 4; page += 1) drawn.push(await drawPage({ path, facts, page, documents }));
    expect(documents.loads).toBe(1);
    expect(drawn.map(middleOf)).toEqual([
      [255, 0, 0],
      [0, 255, 0],
      [0, 0, 255],
      [255, 255, 0],
    ]);
    expect(drawn[3]).toEqual(await drawPage({ path, facts, page: 3 }));
  });

  it('are loaded once for each page drawn at the same time, and not again after that', async () => {
    const { path, facts } = await probed(coloured());
    const both = () => Promise.all([0, 1].map((page) => drawPage({ path, facts, page, documents })));
    const [first, second] = [await both(), await both()];
    expect(documents.loads).toBe(2);
    expect(second).toEqual(first);
  });

  it('are loaded again when the file was replaced', async () => {
    const { path, facts } = await probed(coloured());
    await drawPage({ path, facts, page: 0, documents });
    await rm(path);
    await writeFile(path, pdfDocument([{ width: 36, height: 36, content: '0 1 1 rg 0 0 36 36 re f' }]));
    expect(middleOf(await drawPage({ path, facts, page: 0, documents }))).toEqual([0, 255, 255]);
    expect(documents.loads).toBe(2);
  });

  it('lose no page to another one that cannot be drawn', async () => {
    const { path, facts } = await probed(coloured());
    await drawPage({ path, facts, page: 0, documents });
    // The page does not exist: refused by the used process, and by a fresh one.
    const none = { ...facts, pages: 9 };
    await expect(drawPage({ path, facts: none, page: 7, documents })).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      message: 'The page is damaged: it cannot be read.',
    });
    expect(documents.loads).toBe(2);
    expect(middleOf(await drawPage({ path, facts, page: 1, documents }))).toEqual([0, 255, 0]);
  });

  it('are stopped by their own abort only', async () => {
    const { path, facts } = await probed(coloured());
    const stop = new AbortController();
    const drawing = drawPage({ path, facts, page: 0, documents }, stop.signal);
    stop.abort(new Error('the job was stopped'));
    await expect(drawing).rejects.toThrow('the job was stopped');
    expect(middleOf(await drawPage({ path, facts, page: 2, documents }))).toEqual([0, 0, 255]);
  });
});

it('invalid page sizes are drawn as one pixel', () => {
  for (const [width, height] of [
    [0, 0],
    [NaN, 5],
    [Infinity, 5],
    [-3, -4],
  ] as const) {
    expect(sizeOfPage(width, height)).toEqual({ width: 1, height: 1 });
  }
});
