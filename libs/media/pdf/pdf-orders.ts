import type { PdfFacts } from '@adit/contracts';

/** How the program of `pdf.ts` ends that says the sizes of pages, where the document is refused. */
export const REFUSED = 3;
/** Its password is not known here, its structure cannot be read, it has no page, or that page cannot be read. */
const REFUSALS = ['locked', 'damaged', 'empty', 'page'] as const;
export type PdfRefusal = (typeof REFUSALS)[number];

/** What the program is asked that stays: a page of the document, always the same one. */
export interface PageOrder {
  path: string;
  page: number;
  width: number;
  height: number;
}

/** Memory beside the file that a page may leave taken: with more its process ends, and the next page gets another. */
export const MOST_LEFT_BYTES = 128 * 2 ** 20;

/** The first byte of its answer, before the page's pixels, in RGB, row after row. */
export const DRAWN = 0;

/** Bytes before the pixels of a first page: its width and its height, each in four bytes, the lowest first. */
export const SIZE_BYTES = 8;

/** The one byte of the answer that there are none. */
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

/** Each is looked at as a picture, in a chunk of its own. */
export const MOST_PAGES = 2000;

/** What print is scanned with: a face of 8 mm is 64 pixels then. */
const DOTS_AN_INCH = 200;
const POINTS_AN_INCH = 72;
/** Of a poster; a page of A3 has 3,308. */
const MOST_SIDE = 4000;

/** Pixels that a page of that many points is drawn with; no side is longer than `most`. */
export function sizeOfPage(width: number, height: number, most = MOST_SIDE): { width: number; height: number } {
  const longer = Math.max(width, height);
  if (!(longer > 0 && Number.isFinite(longer))) return { width: 1, height: 1 };
  const scale = Math.min(DOTS_AN_INCH / POINTS_AN_INCH, most / longer);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
