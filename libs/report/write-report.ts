import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { passedInTimeSlices } from '@adit/runtime';
import { clientScript } from './client-script.js';
import { scriptJson, scriptJsonPieces } from './escape.js';
import { FILM_STYLE } from './page/film-style.js';
import { pageBody, pageTitle } from './page/page-body.js';
import { STYLE } from './page/page-style.js';
import { reportData, type ReportData } from './report-data.js';
import type { ReportInput, ReportOptions } from './report-input.js';

/** The form of `report.html`. */
export const REPORT_HTML = { name: 'html', mimeType: 'text/html; charset=utf-8', extension: 'html' } as const;

/** Characters that are written at a time. */
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * `report.html`: one self-contained page that loads nothing but the film beside it, for a finished job, as a stream of UTF-8
 * bytes. Everything a client named (tags, labels, file names) is escaped, and a content security policy forbids any script but
 * the page's own. Without JavaScript the facts and the table are still there. It is made in short steps, and holds no more than
 * the pictures that it shows.
 */
export function writeReport(input: ReportInput, options: ReportOptions = {}): Readable {
  return Readable.from(chunks(input, options), { objectMode: false });
}

async function* chunks(input: ReportInput, options: ReportOptions): AsyncGenerator<Buffer> {
  const data = await reportData(input, options.pictureBudget);
  const script = await clientScript();
  let text = '';
  for await (const piece of passedInTimeSlices(pagePieces(data, script))) {
    text += piece;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}

/** The page in order, in pieces that each take little time to make. */
export function* pagePieces(data: ReportData, script: string): Generator<string> {
  const policy = [
    "default-src 'none'",
    'img-src data: blob:',
    // The film: the one beside the page or where it was mined from, or the one that somebody chooses.
    "media-src 'self' file: blob:",
    `style-src '${sha256(STYLE)}' '${sha256(FILM_STYLE)}'`,
    `script-src '${sha256(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  yield [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${pageTitle(data)}</title>`,
    `<style>${STYLE}</style>`,
    '',
  ].join('\n');
  yield [`<style>${FILM_STYLE}</style>`, '</head>', '<body>', ''].join('\n');
  yield* pageBody(data);
  yield '\n<script type="application/json" id="adit-results">';
  yield* embeddedJson(data);
  yield ['</script>', `<script>${script}</script>`, '</body>', '</html>', ''].join('\n');
}

/** Pictures are most of it, and Base64 has nothing to escape. */
function* embeddedJson({ pictures, ...data }: ReportData): Generator<string> {
  for (const [key, value] of Object.entries(data)) {
    yield `${key === 'job' ? '{' : ','}${scriptJson(key)}:`;
    yield* scriptJsonPieces(value);
  }
  yield ',"pictures":[';
  for (const [id, jpeg] of pictures.entries()) yield `${id === 0 ? '' : ','}"${jpeg.toString('base64')}"`;
  yield ']}';
}

/** A hash source of a content security policy. */
function sha256(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
