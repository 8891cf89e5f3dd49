import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { clientScript } from './client-script.js';
import { scriptJson } from './escape.js';
import { pageBody, pageTitle } from './page-body.js';
import { STYLE } from './page-style.js';
import { reportData, type ReportData } from './report-data.js';
import type { ReportInput, ReportOptions } from './report-input.js';

/**
 * `report.html`: one self-contained page that loads nothing, for a finished job. Everything a client named (tags, labels,
 * file names) is escaped, and a content security policy forbids any script but the page's own. Without JavaScript the
 * facts and the table are still there.
 */
export async function renderReport(input: ReportInput, options: ReportOptions = {}): Promise<string> {
  const data = await reportData(input, options.pictureBudget);
  // Of the largest reports each part takes a good while: probes and leases come in between.
  await turn();
  const body = pageBody(data);
  await turn();
  const json = embeddedJson(data);
  await turn();
  const script = await clientScript();
  const policy = [
    "default-src 'none'",
    'img-src data: blob:',
    `style-src '${sha256(STYLE)}'`,
    `script-src '${sha256(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${pageTitle(data)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    body,
    `<script type="application/json" id="adit-results">${json}</script>`,
    `<script>${script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** Pictures are most of it, and Base64 has nothing to escape. */
function embeddedJson({ pictures, ...data }: ReportData): string {
  const encoded = pictures.length === 0 ? '' : `"${pictures.join('","')}"`;
  return `${scriptJson(data).slice(0, -1)},"pictures":[${encoded}]}`;
}

/** A hash source of a content security policy. */
function sha256(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
