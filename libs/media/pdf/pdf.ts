import { stat } from 'node:fs/promises';
import { AditError, pageFacts, type PdfFacts } from '@adit/contracts';
import { runChild } from '../sandbox/run-child.js';
import type { RgbImage } from '../picture/decode-jpeg.js';
import type { OpenDocuments } from './open-documents.js';
import { PdfDocument } from './pdf-document.js';
import { isRefusal, MOST_PAGES, REFUSED, SIZE_BYTES, type PdfSizes } from './pdf-orders.js';
import { documentMemory, endedBy, MEMORY_BYTES, PROGRAM, refused, TIMEOUT_SECONDS } from './pdf-program.js';

/** A document is read whole, into memory twice. */
const MOST_BYTES = 256 * 2 ** 20;
/** Of what is said of a document. */
const MOST_SIZES_BYTES = 2 ** 20;

/** Bytes that drawing a page takes, and making pictures of it. */
export async function pageMemory(path: string, { width, height }: { width: number; height: number }): Promise<number> {
  // Drawn, on its way here, and in one piece; then as much again for what is made of it.
  return Math.min(MEMORY_BYTES, documentMemory((await stat(path)).size) + width * height * 3 * 4);
}

/**
 * How many pages a document has, and how large each is drawn. Throws MEDIA_INVALID for one that cannot be read, TOO_LARGE for more
 * than is read, LIMIT_EXCEEDED past a minute.
 */
export async function probePdf(path: string, { signal }: { signal?: AbortSignal } = {}): Promise<PdfFacts> {
  await refuseLarge(path);
  const said = await outputOf(['sizes', path], MOST_SIZES_BYTES, signal);
  // Written by `pdf-process.ts`.
  const { pages, sizes } = JSON.parse(said.toString('utf8')) as PdfSizes;
  if (pages > MOST_PAGES) {
    throw new AditError('TOO_LARGE', `The PDF document has ${pages} pages; at most ${MOST_PAGES} are mined. Split it.`);
  }
  return { kind: 'pdf', pages, sizes };
}

/**
 * A page as it would be printed, over white. `page` counts from 0; with `documents` the document stays loaded for the next one.
 * Throws as `probePdf`.
 */
export async function drawPage(
  { path, facts, page, documents }: { path: string; facts: PdfFacts; page: number; documents?: OpenDocuments },
  signal?: AbortSignal,
): Promise<RgbImage> {
  const { width, height } = pageFacts(facts, page);
  if (documents !== undefined) {
    return { data: await documents.draw({ path, page, width, height }, signal), width, height };
  }
  const document = new PdfDocument(path);
  try {
    return { data: await document.draw({ page, width, height }, signal), width, height };
  } finally {
    await document.close();
  }
}

/** Bytes that `drawFirstPage` takes. */
export async function firstPageMemory(path: string, side: number): Promise<number> {
  return pageMemory(path, { width: side, height: side });
}

/**
 * The first page, at most as large as `drawPage` draws it and no side longer than `side`, by one process that looks at no other
 * page. Throws as `probePdf`, but for how many pages there are.
 */
export async function drawFirstPage(path: string, side: number, signal?: AbortSignal): Promise<RgbImage> {
  await refuseLarge(path);
  const drawn = await outputOf(['first', path, String(side)], SIZE_BYTES + side * side * 3, signal);
  const [width, height] = [drawn.readUInt32LE(0), drawn.readUInt32LE(4)];
  const data = drawn.subarray(SIZE_BYTES);
  if (data.length !== width * height * 3) throw endedBy(0);
  return { data, width, height };
}

async function refuseLarge(path: string): Promise<void> {
  const { size } = await stat(path);
  if (size <= MOST_BYTES) return;
  const most = Math.round(MOST_BYTES / 2 ** 20);
  throw new AditError('TOO_LARGE', `The PDF document has ${size} bytes; at most ${most} MiB are read. Split it.`);
}

/** What the program writes. */
async function outputOf(order: string[], most: number, signal?: AbortSignal): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  const end = await runChild({
    program: process.execPath,
    args: [PROGRAM, ...order],
    doing: 'Reading the PDF document',
    timeoutSeconds: TIMEOUT_SECONDS,
    limits: { dataBytes: MEMORY_BYTES, fileBytes: 0 },
    signal,
    onOutput: (piece) => {
      length += piece.length;
      if (length > most) throw new AditError('INTERNAL', 'Reading a PDF document says more than it may.');
      pieces.push(piece);
    },
  });
  if (end.code === 0) return Buffer.concat(pieces);
  if (end.code === REFUSED && isRefusal(end.stderr)) throw refused(end.stderr);
  if (end.killedBy === 'SIGXCPU') {
    throw new AditError(
      'LIMIT_EXCEEDED',
      `Reading the PDF document took longer than ${TIMEOUT_SECONDS} s of each core.`,
    );
  }
  if (end.code === 126 || end.code === 127) {
    throw new AditError('INTERNAL', `No process starts to read PDF documents: ${end.stderr.trim()}`);
  }
  throw endedBy(end.killedBy ?? end.code);
}
