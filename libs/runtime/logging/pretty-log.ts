import { inspect, styleText } from 'node:util';
import { errorMessage, isRecord } from '@adit/contracts';

type Style = 'gray' | 'cyan' | 'green' | 'yellow' | 'red';
const LEVEL_STYLES: Record<string, Style> = {
  trace: 'gray',
  debug: 'cyan',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
};

/** `12:34:56.789 INFO  bus  message  field=value`, an error's stack below. Text that is not JSON is handed on as it is. */
export function prettyLine(line: string, colours: boolean): string {
  const entry = entryOf(line);
  if (entry === null) return line;
  const { time, level, name, msg, err, ...fields } = entry;
  const paint = (style: Style, text: string) => (colours ? styleText(style, text, { validateStream: false }) : text);
  const label = String(level ?? 'info');
  const head = [
    paint('gray', String(time ?? '').slice(11, 23)),
    paint(LEVEL_STYLES[label] ?? 'gray', label.toUpperCase().padEnd(5)),
    ...(name === undefined ? [] : [paint('gray', String(name))]),
    ...(msg === undefined ? [] : [String(msg)]),
    ...Object.entries(fields).map(([field, value]) => paint('gray', `${field}=${short(value)}`)),
  ].join('  ');
  return `${head}\n${err === undefined ? '' : `${indented(err)}\n`}`;
}

function short(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value, { breakLength: Infinity, depth: 4 });
}

function entryOf(line: string): Record<string, unknown> | null {
  try {
    const entry: unknown = JSON.parse(line);
    return isRecord(entry) ? entry : null;
  } catch {
    return null;
  }
}

function indented(error: unknown): string {
  const lines: string[] = [];
  for (let at: unknown = error; typeof at === 'object' && at !== null; at = 'cause' in at ? at.cause : null) {
    const stack = 'stack' in at && typeof at.stack === 'string' ? at.stack : undefined;
    lines.push(...(stack ?? errorMessage(at) ?? short(at)).split('\n'));
  }
  return lines.map((text) => `    ${text}`).join('\n');
}
