import { identityNumberIn } from '@adit/contracts';
import type { ReportSource } from '../report-input.js';
import { escapeHtml } from '../escape.js';
import { pageSummary } from './page-summary.js';
import type { ReportData, SegmentData } from '../report-data.js';

/** The page's words, escaped, piece by piece; pictures, timelines and sorting are the script's. */
export function* pageBody(data: ReportData): Generator<string> {
  yield `
<header class="top">
  <div class="brand" aria-hidden="true"><i></i><i></i><i></i>Adit</div>
  <button type="button" id="theme" class="quiet" hidden>Dark</button>
</header>
<main>
  <section class="hero">
    <p class="eyebrow"><span class="state ${escapeHtml(data.job.state)}">${escapeHtml(data.job.state)}</span> ${escapeHtml(data.job.time_created.slice(0, 16).replace('T', ' '))} UTC</p>
    <h1>${headline(data)}</h1>
    <dl class="facts">${jobFacts(data)}</dl>
    ${errors(data.job.errors)}
  </section>
  <section id="people" aria-label="Who and what was found"></section>
  <section id="stage" aria-label="Selected appearance" aria-live="polite" hidden></section>
  `;
  yield* films(data);
  yield '\n  ';
  yield* pageSummary(data);
  yield `
  <section id="gallery" aria-label="Pictures" hidden></section>
  `;
  yield* table(data);
  yield `
</main>
<footer>${footer(data)}</footer>`;
}

/** A timeline for each film. One that is only summed up has none: an empty one would say that nobody is shown. */
function* films({ sources, segments, summaries }: ReportData): Generator<string> {
  const marked = new Set(segments.map(({ sourceIndex }) => sourceIndex));
  const summedUp = new Set(summaries.map(({ sourceIndex }) => sourceIndex));
  for (const [index, source] of sources.entries()) {
    if (index > 0) yield '\n';
    if (marked.has(index) || !summedUp.has(index)) yield sourceSection(source, index);
  }
}

function footer({ segments, total, omitted }: ReportData): string {
  const remarks = ['Made by Adit on this installation. This page loads nothing from anywhere but the film beside it.'];
  if (total > segments.length) {
    remarks.push(`It shows the first ${segments.length.toLocaleString('en')} appearances; results.json has them all.`);
  }
  if (omitted > 0) remarks.push(`${omitted} pictures were left out to keep it small.`);
  return remarks.join(' ');
}

export function pageTitle(data: ReportData): string {
  return `${headline(data)} · Adit`;
}

function headline({ job, sources }: ReportData): string {
  if (job.tag !== '') return escapeHtml(job.tag);
  const first = sources[0]?.name ?? job.source_names[0] ?? 'Job';
  const more = job.source_count > 1 ? ` and ${job.source_count - 1} more` : '';
  return escapeHtml(first + more);
}

function jobFacts({ job, sources, segments, summaries, total }: ReportData): string {
  const appearances: [string, string][] = [
    ['Found', found(segments)],
    ['Appearances', total.toLocaleString('en')],
  ];
  const facts: [string, string][] = [
    ['Sources', String(sources.length)],
    ...(segments.length === 0 && summaries.length > 0 ? [] : appearances),
    ['Mined in', seconds(job.duration)],
    ...Object.entries(job.modules).map(([id, entry]): [string, string] => [
      id.replaceAll('_', ' '),
      [typeof entry['model'] === 'string' ? entry['model'] : '', entry.state === 'completed' ? '' : entry.state]
        .filter((part) => part !== '')
        .join(' · ') || 'completed',
    ]),
  ];
  return facts.map(([term, value]) => `<div><dt>${escapeHtml(term)}</dt><dd>${escapeHtml(value)}</dd></div>`).join('');
}

/** Types of results that are no person and no thing. */
const SAID = new Set(['gender_neutrality', 'speech', 'translation', 'silence']);

/** Number of people and things have a name, and how many people were told apart without one. */
function found(all: readonly SegmentData[]): string {
  const segments = all.filter(({ type }) => !SAID.has(type));
  const labels = (unknown: boolean) =>
    new Set(segments.filter((segment) => isUnknown(segment) === unknown).map((segment) => segment.label)).size;
  const people = segments.every((segment) => segment.type === 'face');
  const names = `${labels(false)} ${people ? 'name' : 'label'}${labels(false) === 1 ? '' : 's'}`;
  return labels(true) === 0 ? names : `${names}, ${labels(true)} unknown`;
}

/** Nobody whom a gallery names, though the job may tell such people apart. */
function isUnknown({ label }: SegmentData): boolean {
  return label === 'unknown' || identityNumberIn(label) !== null;
}

function errors(messages: readonly string[]): string {
  if (messages.length === 0) return '';
  return `<ul class="errors">${messages.map((message) => `<li>${escapeHtml(message)}</li>`).join('')}</ul>`;
}

function isStill(source: ReportSource): boolean {
  return source.mediaType === 'image' || source.mediaType === 'pdf';
}

function sourceSection(source: ReportSource, index: number): string {
  if (isStill(source)) return '';
  const facts = [
    source.resolution === null ? '' : source.resolution.join(' × '),
    source.fps === null ? '' : `${Number(source.fps.toFixed(3))} fps`,
    source.duration === null ? '' : seconds(source.duration),
  ].filter((fact) => fact !== '');
  return `<section class="film" data-source="${index}">
    <div class="bar"><h2 title="${escapeHtml(source.source)}">${escapeHtml(source.name)}</h2><p>${escapeHtml(facts.join(' · '))}</p></div>
    <div class="watch"><div class="media"></div><div class="spoken" hidden></div></div>
    <div class="timeline"></div>
  </section>`;
}

function* table({ segments, sources, summaries }: ReportData): Generator<string> {
  if (segments.length === 0 && summaries.length > 0) return;
  const several = sources.length > 1;
  const stills = sources.length > 0 && sources.every(isStill);
  const times = stills ? [] : ['From', 'To', 'Duration'];
  const people = segments.every((segment) => segment.type === 'face');
  const columns = [
    people ? 'Who' : 'Who or what',
    'Kind',
    ...(several ? ['Source'] : []),
    ...times,
    people ? 'Similarity' : 'Confidence',
  ];
  const head = columns.map((name) => `<th scope="col" aria-sort="none"><button type="button">${name}</button></th>`);
  yield `<section class="list">
    <div class="bar"><h2>Every appearance</h2><input id="filter" type="search" placeholder="Filter by name" aria-label="Filter by name" hidden></div>
    <div class="scroll"><table id="rows"><thead><tr>${head.join('')}</tr></thead><tbody>`;
  for (const [index, segment] of segments.entries()) {
    if (index > 0) yield '\n';
    yield row(segment, index, several ? (sources[segment.sourceIndex] ?? null) : null, stills);
  }
  yield `</tbody></table></div>
    ${segments.length === 0 ? '<p class="empty">Nothing was found.</p>' : ''}
  </section>`;
}

function row(segment: SegmentData, index: number, source: ReportSource | null, stills: boolean): string {
  const cells = [
    [
      `<button type="button" class="who"><span>${escapeHtml(written(segment))}</span></button>`,
      String(segment.meta['text'] ?? segment.label).toLowerCase(),
    ],
    [escapeHtml(segment.type.replaceAll('_', ' ')), segment.type],
    ...(source === null ? [] : [[escapeHtml(source.name), String(segment.sourceIndex)]]),
    ...(stills ? [] : times(segment)),
    [similarity(segment), segment.confidence],
  ];
  const html = cells.map(([content, value]) => `<td data-v="${escapeHtml(String(value))}">${content}</td>`).join('');
  return `<tr data-i="${index}">${html}</tr>`;
}

/** Spoken and written words stand in quotes. */
function written({ type, label, meta }: SegmentData): string {
  if (typeof meta['text'] === 'string') return `“${meta['text']}”`;
  return type === 'lower_third' ? `“${label}”` : label;
}

function times(segment: SegmentData): [string, number][] {
  const duration = segment.timeEnd - segment.timeStart;
  return [
    [escapeHtml(segment.tcStart), segment.timeStart],
    [escapeHtml(segment.tcEnd), segment.timeEnd],
    [duration === 0 ? '1 picture' : seconds(duration), duration],
  ];
}

/** An unknown person's similarity is to somebody else, which the details say. */
function similarity(segment: SegmentData): string {
  if (isUnknown(segment)) return '–';
  return Number.isFinite(segment.confidence) ? `${Math.round(segment.confidence * 100)} %` : '–';
}

function seconds(value: number): string {
  if (value < 60) return `${Number(value.toFixed(1))} s`;
  const whole = Math.round(value);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return parts[0] === 0 ? `${parts[1]} min ${parts[2]} s` : `${parts[0]} h ${parts[1]} min`;
}
