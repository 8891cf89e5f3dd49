// Results for people: a table on the terminal, and the same in docs/reference/performance.md.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format } from 'oxfmt';

const document = join(import.meta.dirname, '../../docs/reference/performance.md');
const BEGIN = '<!-- bench: begin -->';
const END = '<!-- bench: end -->';

const mark = (ok) => (ok === null ? '' : ok ? '✓' : '✗');

export function textTable(results, facts) {
  const lines = [
    ['what', 'measured', 'goal', ''],
    ...results.map(({ name, measured, goal, ok }) => [name, measured, goal, mark(ok)]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((line) => line[column].length)));
  const text = lines.map((line) =>
    line
      .map((cell, i) => cell.padEnd(widths[i]))
      .join('  ')
      .trimEnd(),
  );
  const notes = results.filter(({ note }) => note).map(({ name, note }) => `${name.trim()}: ${note}`);
  return [...text, '', ...notes, '', machine(facts)].join('\n');
}

/** Replaces what stands between the markers. */
export async function writeDocument(results, facts) {
  const text = await readFile(document, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${document} has no markers for the table.`);
  const rows = results.map(
    ({ name, measured, goal, ok, note }) => `| ${name.trim()} | ${measured} | ${goal} | ${mark(ok)} | ${note} |`,
  );
  const table = ['| what | measured | goal | | of what |', '|---|---|---|---|---|', ...rows].join('\n');
  const block = `${BEGIN}\n\n\`${facts.command}\`, ${facts.date}. ${machine(facts)}\n\n${table}\n\n`;
  const { code } = await format(document, text.slice(0, begin) + block + text.slice(end));
  await writeFile(document, code);
}

function machine({ cpu, memory, node, onnxruntime, ffmpeg }) {
  return `${cpu}, ${memory}; Node ${node}, ONNX Runtime ${onnxruntime}, ffmpeg ${ffmpeg}.`;
}
