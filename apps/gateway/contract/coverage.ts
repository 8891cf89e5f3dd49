import type { InterfaceRow } from './interface-rows.js';
import type { Trial } from './trials.js';

/** The page, as it is committed. */
export const coveragePath = new URL('../../../docs/api/coverage.md', import.meta.url);

interface CoveredRow extends InterfaceRow {
  /** Lines of the contract test, in the order of trying. */
  seen: string[];
}

/** docs/api/coverage.md: every row of the interface once, and what the contract test saw of it. */
export function coveragePage(rows: readonly CoveredRow[]): string {
  const sections = [...new Set(rows.map(({ section }) => section))];
  return [
    '# What of the interface is there',
    '',
    'Written by the contract test (`apps/gateway/contract`) from what a running gateway answered: every method and path the',
    'interface names, tried well and badly, with and without a slash at the end. Every reply was held against the published',
    'OpenAPI document and the zod schema behind it, strictly. Write it anew with',
    '',
    '    ADIT_UPDATE_COVERAGE=1 npm test -- apps/gateway/contract',
    '',
    `All of its ${rows.length} rows are there. Statuses are those that were provoked; 405 is that of every method the path does`,
    'not take, with `Allow`.',
    ...sections.flatMap((section) => [
      '',
      `## ${section}`,
      '',
      ...table(rows.filter((row) => row.section === section)),
    ]),
    '',
  ].join('\n');
}

/** Padded, so that the page is what the formatter leaves alone. */
function table(rows: readonly CoveredRow[]): string[] {
  const cells = [
    ['Method', 'Path', 'Seen', 'Note'],
    ...rows.map(({ method, path, seen, note = '' }) => [method, `\`${path}\``, seen.join(', '), note]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0), 3));
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = cells;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body.map(line)];
}

export function trialKey({ method, path }: InterfaceRow): string {
  return `${method} ${path}`;
}

/** The row with what was seen of it. */
export function covered(row: InterfaceRow, trial: Trial | undefined, seen: Iterable<number>): CoveredRow {
  if (trial === undefined) return { ...row, seen: [] };
  return { ...row, seen: [...new Set(seen)].sort((a, b) => a - b).map(String) };
}
