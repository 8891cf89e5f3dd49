import { stat } from 'node:fs/promises';
import { AditError, pageFacts, type PdfFacts } from '@adit/contracts';
import { runChild } from '../sandbox/run-child.js';
import type { RgbImage } from '../picture/decode-jpeg.js';
import type { OpenDocuments } from './open-documents.js';
import { PdfDocument } from './pdf-document.js';
import { isRefusal, REFUSED, SIZE_BYTES, type PdfSizes } from './pdf-orders.js';
import { MAX_PAGES } from './pdf-limits.js';
import { documentMemory, endedBy, MEMORY_BYTES, PROGRAM, refused, TIMEOUT_SECONDS } from './pdf-program.js';

/** A document is read into memory twice. */
const MAX_BYTES = 256 * 2 ** 20;
/** Bytes of the sizes of all pages. */
const MAX_SIZES_BYTES = 2 ** 20;

/** Returns the bytes that drawing a page takes, including the pictures made of it. */
export async function pageMemory(path: string, { width, height }: { width: number; height: number }): Promise<number> {
  // Three copies of the pixels: drawn, in transit and joined; then as much again for the results.
  return Math.min(MEMORY_BYTES, documentMemory((await stat(path)).size) + width * height * 3 * 4);
}

/**
 * Returns the number of pages of a document, and the drawn size of each. Throws MEDIA_INVALID for an unreadable
 * document, TOO_LARGE above the limits, LIMIT_EXCEEDED past a minute.
 */
export async function probePdf(path: string, { signal }: { signal?: AbortSignal } = {}): Promise<PdfFacts> {
  await refuseLarge(path);
  const said = await outputOf(['sizes', path], MAX_SIZES_BYTES, signal);
  // `pdf-process.ts` writes this JSON.
  const { pages, sizes } = JSON.parse(said.toString('utf8')) as PdfSizes;
  if (pages > MAX_PAGES) {
    throw new AditError('TOO_LARGE', `The PDF document has ${pages} pages; at most ${MAX_PAGES} are mined. Split it.`);
  }
  return { kind: 'pdf', pages, sizes };
}

/**
 * Draws a page as printed, over white. `page` counts from 0; with `documents` the document stays loaded for the next
 * page. Throws as `probePdf`.
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

/** Returns the bytes that `drawFirstPage` takes. */
export async function firstPageMemory(path: string, side: number): Promise<number> {
  return pageMemory(path, { width: side, height: side });
}

/**
 * Draws the first page, at most as large as `drawPage` and no side longer than `side`, in one process that reads no
 * other page. Throws as `probePdf`, except for the number of pages.
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
  if (size <= MAX_BYTES) return;
  const most = Math.round(MAX_BYTES / 2 ** 20);
  throw new AditError('TOO_LARGE', `The PDF document has ${size} bytes; at most ${most} MiB are read. Split it.`);
}

/** Returns the output of the program. */
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
      if (length > most)
        throw new AditError('INTERNAL', 'The process that reads PDF documents wrote more than its limit.');
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
    throw new AditError('INTERNAL', `The process that reads PDF documents cannot be started: ${end.stderr.trim()}`);
  }
  throw endedBy(end.killedBy ?? end.code);
}
