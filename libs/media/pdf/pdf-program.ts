import { basename, join } from 'node:path';
import { AditError } from '@adit/contracts';
import type { PdfRefusal } from './pdf-orders.js';

/** The program is compiled beside this file; when run from source, the build is used. */
const here = import.meta.dirname;
export const PROGRAM = join(here, basename(join(here, '..')) === 'dist' ? '' : '../dist/pdf', 'pdf-process.js');

export const MEMORY_BYTES = 2 ** 30;
/** Seconds for the sizes of all pages, or for one page. */
export const TIMEOUT_SECONDS = 60;

const REASONS: Record<PdfRefusal, string> = {
  locked: 'The PDF document is locked by a password: save it without one.',
  damaged: 'The PDF document is damaged: it cannot be read.',
  empty: 'The PDF document has no pages.',
  page: 'The page is damaged: it cannot be read.',
};

/** Returns the bytes that a loaded document takes before a page is drawn: Node, PDFium, and the file twice. */
export function documentMemory(fileBytes: number): number {
  return 96 * 2 ** 20 + 2 * fileBytes;
}

export function refused(reason: PdfRefusal): AditError {
  return new AditError('MEDIA_INVALID', REASONS[reason]);
}

/** @param how signal or exit code of the ended process */
export function endedBy(how: NodeJS.Signals | number | null): AditError {
  const most = MEMORY_BYTES / 2 ** 20;
  const message = `The PDF document cannot be read: it ended the process (${how}), or needs more than ${most} MiB.`;
  return new AditError('MEDIA_INVALID', message);
}
