import { createHash } from 'node:crypto';
import { clientScript } from './client-script.js';
import { scriptJson } from './escape.js';
import { pageBody, pageTitle } from './page-body.js';
import { STYLE } from './page-style.js';
import { reportData } from './report-data.js';
import type { ReportInput, ReportOptions } from './report-input.js';

/**
 * `report.html`: one self-contained page that loads nothing, for a finished job. Everything a client named (tags, labels,
 * file names) is escaped, and a content security policy forbids any script but the page's own. Without JavaScript the
 * facts and the table are still there.
 */
export async function renderReport(input: ReportInput, options: ReportOptions = {}): Promise<string> {
  const data = reportData(input, options.pictureBudget);
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
    pageBody(data),
    `<script type="application/json" id="adit-results">${scriptJson(data)}</script>`,
    `<script>${script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** A hash source of a content security policy. */
function sha256(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
