import { xmlText } from '@adit/ooxml';
import { curveSvg } from './curve-svg.js';
import type { Evaluation, LeftOut } from './evaluation.js';
import { shownFigures, shownLabels, shownShare } from './shown-figures.js';

/** Limit of table rows on the page; the JSON beside it has all. */
const MAX_ROWS = 100;
const MAX_NAMES = 20;

const STYLE = `
:root{--bg:#f6f5f2;--card:#fff;--ink:#1b1a18;--soft:#5f5c56;--line:#e4e1db;--a:#3056d3;--b:#17653e;--c:#a2611d;color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{--bg:#131316;--card:#1c1c21;--ink:#eeecea;--soft:#98959d;--line:#2d2c33;--a:#8fa8ff;--b:#5fc795;--c:#e0a565}}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,"Segoe UI",Roboto,Arial,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:860px;margin:0 auto;padding:32px 24px 48px}h1{font-size:30px;line-height:1.15;margin:0 0 6px;overflow-wrap:anywhere}h2{font-size:17px;margin:0 0 12px}
p{margin:0 0 12px;color:var(--soft);overflow-wrap:anywhere}section{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:20px 22px;margin-top:18px;overflow-x:auto}
table{border-collapse:collapse;width:100%}th,td{padding:5px 12px 5px 0;border-bottom:1px solid var(--line);text-align:right}th{font-weight:560;color:var(--soft);font-size:13px}th:first-child,td:first-child,td.text,th.text{text-align:left;overflow-wrap:anywhere}
svg{display:block;width:100%;height:auto}svg text{font-size:11px;fill:var(--soft)}svg path{fill:none;stroke-width:2}.grid{stroke:var(--line);stroke-width:1!important}.at{stroke:var(--soft);stroke-width:1!important;stroke-dasharray:2 3}
.precision{stroke:var(--a)}.recall{stroke:var(--b)}.f1{stroke:var(--c)}svg .other{stroke-dasharray:6 5;stroke-width:1.5}.key{display:inline-block;width:18px;height:0;border-top:2px solid;vertical-align:4px;margin:0 6px 0 14px}
`;

/** Renders a self-contained page: no script, no external address. */
export function evaluationPage(evaluation: Evaluation): string {
  const { model, kind, images, time, threshold, versions } = evaluation;
  const [asked, ...others] = versions;
  if (asked === undefined) throw new Error('An evaluation has a version.');
  const { figures } = asked;
  const title = `${model} version ${asked.version}`;
  const beside = others.map(({ version }) => `, beside version ${version}, which is in use`).join('');
  const things = kind === 'detector' ? `${figures.labelled} labelled boxes in ` : '';
  const curves = versions.map(({ version, figures: { curve } }) => ({ title: `Version ${version}`, curve }));
  const dashed = others.length === 0 ? '' : ' The version in use is dashed.';
  const pairs = figures.confusions.slice(0, MAX_ROWS).map(({ label, said, count }) => [label, said, String(count)]);
  const measured = shownFigures(evaluation);
  const { head, rows } = shownLabels(evaluation);
  const sections = [
    section('Figures', tableOf(measured.head, measured.rows)),
    section(
      'By threshold',
      `<p>What the model is at least so sure of counts.${dashed} The dotted line is ${shownShare(threshold)}.<i class="key precision" style="color:var(--a)"></i>precision<i class="key recall" style="color:var(--b)"></i>recall<i class="key f1" style="color:var(--c)"></i>F1</p>${curveSvg(curves, threshold)}`,
    ),
    section(`Labels`, `${tableOf(head, rows.slice(0, MAX_ROWS))}${more(rows.length)}`),
    section(
      'Taken for each other',
      pairs.length === 0
        ? '<p>Nothing, at this threshold.</p>'
        : `${tableOf(['Labelled', 'Said', 'How often'], pairs)}${more(figures.confusions.length)}`,
    ),
    ...leftOut(evaluation.leftOut),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${xmlText(title)}</title><style>${STYLE}</style></head><body><main>
<h1>${xmlText(title)}</h1>
<p>On ${xmlText(`${things}${figures.pictures} pictures of ${images}${beside}`)}. ${xmlText(time)}</p>
${sections.join('\n')}
<section><h2>How it is measured</h2><p>${xmlText(METHOD[kind])}</p></section>
</main></body></html>
`;
}

const METHOD = {
  detector:
    'What jobs would find is compared with what was labelled. A box is right when it overlaps a labelled one of its label by half ' +
    '(intersection over union), each of which counts once; groups that are labelled as such count neither way. mAP is COCO’s: the mean over ' +
    'labels of the average precision at 101 recalls, at an overlap of 0.5, and as a mean over those from 0.5 to 0.95. Boxes of a score ' +
    'below 0.2 never reach jobs, nor these figures, so a trainer’s own mAP is a little higher.',
  classifier:
    'What jobs would say is compared with what was labelled. The surest label of each picture counts: accuracy is the share of pictures ' +
    'where it is right, however sure the model is.',
};

function leftOut({ unknownLabels, missing, unreadable, ambiguous }: LeftOut): string[] {
  const parts = [
    unknownLabels.length === 0
      ? ''
      : `<p>Labels that the model does not know:</p>${tableOf(
          ['Label', 'Labelled'],
          unknownLabels.slice(0, MAX_ROWS).map(({ label, count }) => [label, String(count)]),
        )}${more(unknownLabels.length)}`,
    named(`${missing.length} listed pictures are missing`, missing),
    named(`${ambiguous.length} pictures have several labels, where the model gives one`, ambiguous),
    named(
      `${unreadable.length} pictures could not be read`,
      unreadable.map(({ name, message }) => `${name}: ${message}`),
    ),
  ].join('');
  return parts === '' ? [] : [section('Left out', parts)];
}

function named(what: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const shown = names.slice(0, MAX_NAMES).join(', ');
  return `<p>${xmlText(`${what}: ${shown}${names.length > MAX_NAMES ? ' …' : ''}`)}</p>`;
}

function more(rows: number): string {
  return rows > MAX_ROWS ? `<p>${rows - MAX_ROWS} more are in evaluation.json.</p>` : '';
}

function section(title: string, content: string): string {
  return `<section><h2>${xmlText(title)}</h2>${content}</section>`;
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[], tag: 'th' | 'td') =>
    `<tr>${row.map((cell) => `<${tag}>${xmlText(cell)}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${cells(head, 'th')}</thead><tbody>${rows.map((row) => cells(row, 'td')).join('')}</tbody></table>`;
}
