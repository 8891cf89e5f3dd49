import type { PdfFacts } from '@adit/contracts';

/** How the program of `pdf.ts` ends where the document is refused. */
export const REFUSED = 3;
/** Its password is not known here, its structure cannot be read, it has no page, or that page cannot be read. */
export type PdfRefusal = 'locked' | 'damaged' | 'empty' | 'page';
export type PdfSizes = Pick<PdfFacts, 'pages' | 'sizes'>;

/** Each is looked at as a picture, in a chunk of its own. */
export const MOST_PAGES = 2000;

/** What print is scanned with: a face of 8 mm is 64 pixels then. */
const DOTS_AN_INCH = 200;
const POINTS_AN_INCH = 72;
/** Of a poster; a page of A3 has 3,308. */
const MOST_SIDE = 4000;

/** Pixels that a page of that many points is drawn with. */
export function sizeOfPage(width: number, height: number): { width: number; height: number } {
  const longer = Math.max(width, height);
  if (!(longer > 0 && Number.isFinite(longer))) return { width: 1, height: 1 };
  const scale = Math.min(DOTS_AN_INCH / POINTS_AN_INCH, MOST_SIDE / longer);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
