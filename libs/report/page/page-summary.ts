import { escapeHtml } from '../escape.js';
import type { ReportData } from '../report-data.js';
import type { ReportSource, ReportSummary } from '../report-input.js';

/** People listed at first; a crowd's others unfold. */
const MAX_PEOPLE = 12;

interface Line {
  name: string;
  /** Value of the bar. */
  value: number;
  text: string;
}

/** Screen times and traits of people: one card for each film, one for all pictures. Empty without summaries. */
export function* pageSummary({ summaries, sources }: ReportData): Generator<string> {
  const ofSource = new Map<number, ReportSummary[]>();
  for (const sum of summaries) {
    const own = ofSource.get(sum.sourceIndex);
    if (own === undefined) ofSource.set(sum.sourceIndex, [sum]);
    else own.push(sum);
  }
  for (const [index, source] of sources.entries()) {
    if (!isStill(source)) yield `${card(source, ofSource.get(index) ?? [], sources.length > 1)}\n`;
  }
  const pictures = summaries.filter(({ sourceIndex }) => isStill(sources[sourceIndex]));
  yield card(null, yield* added(pictures), false);
}

function card(film: ReportSource | null, summaries: ReportSummary[], named: boolean): string {
  const of = (type: string) => summaries.find((sum) => sum.type === type)?.meta ?? {};
  const everybody = people(of('person_screen_time'));
  const parts = [
    part('People', everybody.slice(0, MAX_PEOPLE), everybody.slice(MAX_PEOPLE)),
    part('Gender', traits(of('gender_count'), of('gender_screen_time'))),
    part('Age', traits(of('age_count'), of('age_screen_time'))),
  ].filter((html) => html !== '');
  const label = summaries.find(({ label: said }) => said !== undefined)?.label;
  if (parts.length === 0 && label === undefined) return '';
  const title = film === null ? 'Who is on the pictures' : 'Who is shown, and for how long';
  const chip = label === undefined ? '' : `<span class="state">${escapeHtml(label)}</span>`;
  const name = film !== null && named ? `<p>${escapeHtml(film.name)}</p>` : '';
  return `<section class="sums">
    <div class="bar"><h2>${title}</h2>${name}${chip}</div>
    ${parts.length === 0 ? '' : `<div class="parts">${parts.join('')}</div>`}
    <p class="empty">Gender and age are how faces read to a network. They say nothing of how anybody sees themselves.</p>
  </section>`;
}

function part(title: string, lines: Line[], others: Line[] = []): string {
  if (lines.length === 0) return '';
  const longest = Math.max(...lines.map(({ value }) => value), Number.MIN_VALUE);
  const table = (shown: Line[]) => `<table>${shown.map((line) => row(line, longest)).join('')}</table>`;
  return `<div><h3>${title}</h3>${table(lines)}${others.length === 0 ? '' : folded(others, table(others))}</div>`;
}

function row({ name, value, text }: Line, longest: number): string {
  const width = ((100 * value) / longest).toFixed(2);
  return `<tr><th scope="row">${escapeHtml(name)}</th><td><svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${width}" height="1"/></svg></td><td>${escapeHtml(text)}</td></tr>`;
}

function folded(others: Line[], table: string): string {
  const together = others.reduce((sum, { value }) => sum + value, 0);
  return `<details><summary>${others.length} others, ${duration(together)} together</summary>${table}</details>`;
}

/** Whoever was shown longest first. */
function people(seconds: Record<string, number>): Line[] {
  return Object.entries(seconds)
    .sort(([, a], [, b]) => b - a)
    .map(([name, value]) => ({ name, value, text: duration(value) }));
}

/** By category in the order of ages or letters: seconds where there are any, else heads. */
function traits(counts: Record<string, number>, seconds: Record<string, number>): Line[] {
  if (Object.values(counts).every((count) => count === 0)) return [];
  const timed = Object.keys(seconds).length > 0;
  return Object.entries(counts)
    .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
    .map(([name, count]) => {
      const value = timed ? (seconds[name] ?? 0) : count;
      // The same person on two pictures is two faces.
      const heads = `${count} ${timed ? (count === 1 ? 'person' : 'people') : count === 1 ? 'face' : 'faces'}`;
      const time = timed && count > 0 ? `${duration(value)} · ` : '';
      return { name: name.replace('-', '–').replace('60–120', '60+'), value, text: count === 0 ? '–' : time + heads };
    });
}

/** The summaries of several pictures as one. */
function* added(summaries: ReportSummary[]): Generator<string, ReportSummary[]> {
  const total = new Map<string, ReportSummary>();
  for (const { type, meta } of summaries) {
    yield '';
    const sum = total.get(type) ?? { sourceIndex: 0, type, meta: {} };
    for (const [key, value] of Object.entries(meta)) sum.meta[key] = (sum.meta[key] ?? 0) + value;
    total.set(type, sum);
  }
  return [...total.values()];
}

function isStill(source: ReportSource | undefined): boolean {
  return source?.mediaType === 'image' || source?.mediaType === 'pdf';
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Number(seconds.toFixed(1))} s`;
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours === 0 ? `${minutes} min ${whole % 60} s` : `${hours} h ${minutes} min`;
}
