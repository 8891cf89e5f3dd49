import type { PdfFacts } from '@adit/contracts';

/** Exit code of the program of `pdf.ts` for a refused document. */
export const REFUSED = 3;
/** Reasons: password protected, unreadable structure, no page, or an unreadable page. */
const REFUSALS = ['locked', 'damaged', 'empty', 'page'] as const;
export type PdfRefusal = (typeof REFUSALS)[number];

/** Request for a page; the long-running program draws pages of a single document. */
export interface PageOrder {
  path: string;
  page: number;
  width: number;
  height: number;
}

/**
 * Memory, beside the file, that a page may leave allocated. With more, the process ends and the next page gets another
 * one.
 */
export const MAX_LEFTOVER_BYTES = 128 * 2 ** 20;

/** First byte of an answer that continues with the pixels, in RGB, row after row. */
export const DRAWN = 0;

/** Bytes before the pixels of a first page: width and height, each in four bytes, little-endian. */
export const SIZE_BYTES = 8;

/** Returns the only byte of an answer without pixels. */
export function refusalByte(reason: PdfRefusal): number {
  return 1 + REFUSALS.indexOf(reason);
}

export function refusalOf(byte: number): PdfRefusal | undefined {
  return REFUSALS[byte - 1];
}

export function isRefusal(text: string): text is PdfRefusal {
  return REFUSALS.some((each) => each === text);
}
export type PdfSizes = Pick<PdfFacts, 'pages' | 'sizes'>;

/** Usual scanning resolution of print: a face of 8 mm has 64 pixels. */
const DOTS_AN_INCH = 200;
const POINTS_AN_INCH = 72;
/** Longest side in pixels, for posters; a page of A3 has 3,308. */
const MAX_SIDE = 4000;

/** Returns the drawn size in pixels of a page given in points; no side is longer than `most`. */
export function sizeOfPage(width: number, height: number, most = MAX_SIDE): { width: number; height: number } {
  const longer = Math.max(width, height);
  if (!(longer > 0 && Number.isFinite(longer))) return { width: 1, height: 1 };
  const scale = Math.min(DOTS_AN_INCH / POINTS_AN_INCH, most / longer);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
