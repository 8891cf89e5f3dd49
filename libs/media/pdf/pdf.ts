import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AditError, pageFacts, type PdfFacts } from '@adit/contracts';
import { runChild } from '../child/run-child.js';
import type { RgbImage } from '../decode-jpeg.js';
import { MOST_PAGES, REFUSED, type PdfRefusal, type PdfSizes } from './pdf-orders.js';

/** Compiled beside this file; source runs from the build. */
const here = import.meta.dirname;
const PROGRAM = join(here, basename(join(here, '..')) === 'dist' ? '' : '../dist/pdf', 'pdf-process.js');

/** A document is read whole, into memory twice. */
const MOST_BYTES = 256 * 2 ** 20;
const MEMORY_BYTES = 2 ** 30;
const TIMEOUT_SECONDS = 60;
/** Of Node, PDFium and what it draws with. */
const BASE_BYTES = 96 * 2 ** 20;

const REASONS: Record<PdfRefusal, string> = {
  locked: 'The PDF document is locked by a password: save it without one.',
  damaged: 'The PDF document is damaged: it cannot be read.',
  empty: 'The PDF document has no pages.',
  page: 'The page is damaged: it cannot be read.',
};

/** Bytes that drawing a page takes, and making pictures of it. */
export async function pageMemory(path: string, { width, height }: { width: number; height: number }): Promise<number> {
  // Drawn, on its way here, and in one piece; then as much again for what is made of it.
  return Math.min(MEMORY_BYTES, BASE_BYTES + 2 * (await stat(path)).size + width * height * 3 * 4);
}

/**
 * How many pages a document has, and how large each is drawn. Throws MEDIA_INVALID for one that cannot be read, TOO_LARGE for more
 * than is read, LIMIT_EXCEEDED past a minute.
 */
export async function probePdf(path: string, { signal }: { signal?: AbortSignal } = {}): Promise<PdfFacts> {
  const { size } = await stat(path);
  if (size > MOST_BYTES) {
    const most = Math.round(MOST_BYTES / 2 ** 20);
    throw new AditError('TOO_LARGE', `The PDF document has ${size} bytes; at most ${most} MiB are read. Split it.`);
  }
  // Written by `pdf-process.ts`.
  const { pages, sizes } = JSON.parse((await order(['sizes', path], 2 ** 20, signal)).toString('utf8')) as PdfSizes;
  if (pages > MOST_PAGES) {
    throw new AditError('TOO_LARGE', `The PDF document has ${pages} pages; at most ${MOST_PAGES} are mined. Split it.`);
  }
  return { kind: 'pdf', pages, sizes };
}

/** A page as it would be printed, over white. `page` counts from 0. Throws as `probePdf`. */
export async function drawPage(
  { path, facts, page }: { path: string; facts: PdfFacts; page: number },
  signal?: AbortSignal,
): Promise<RgbImage> {
  const { width, height } = pageFacts(facts, page);
  const bytes = width * height * 3;
  const data = await order(['draw', path, page, width, height].map(String), bytes, signal);
  if (data.length !== bytes) throw new AditError('MEDIA_INVALID', REASONS.page);
  return { data, width, height };
}

async function order(args: string[], most: number, signal?: AbortSignal): Promise<Buffer> {
  const answer = Buffer.allocUnsafe(most);
  let length = 0;
  const end = await runChild({
    program: process.execPath,
    args: [PROGRAM, ...args],
    doing: 'Reading the PDF document',
    timeoutSeconds: TIMEOUT_SECONDS,
    limits: { dataBytes: MEMORY_BYTES, fileBytes: 0 },
    signal,
    onOutput: (piece) => {
      if (length + piece.length > most)
        throw new AditError('INTERNAL', 'Reading a PDF document says more than it may.');
      length += piece.copy(answer, length);
    },
  });
  if (end.code === 0) return answer.subarray(0, length);
  if (end.code === REFUSED && isRefusal(end.stderr)) throw new AditError('MEDIA_INVALID', REASONS[end.stderr]);
  if (end.killedBy === 'SIGXCPU') {
    throw new AditError(
      'LIMIT_EXCEEDED',
      `Reading the PDF document took longer than ${TIMEOUT_SECONDS} s of each core.`,
    );
  }
  throw new AditError(
    'MEDIA_INVALID',
    `The PDF document cannot be read: it ended the process (${end.killedBy ?? end.code}), or needs more than ${MEMORY_BYTES / 2 ** 20} MiB.`,
  );
}

function isRefusal(text: string): text is PdfRefusal {
  return text in REASONS;
}
