import { basename } from 'node:path/posix';

/** Files that may name the classes of YOLO's labels, by format. */
const TEXT = /^(classes\.txt|.+\.names|_darknet\.labels)$/i;
const YAML = /\.ya?ml$/i;

export function isYoloNames(path: string): boolean {
  const name = basename(path);
  return TEXT.test(name) || YAML.test(name);
}

/** Returns the classes by their numbers; null for a file without any. */
export function yoloNames(path: string, text: string): Map<number, string> | null {
  if (TEXT.test(basename(path))) {
    const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim());
    return new Map(lines.flatMap((line, at) => (line === '' ? [] : [[at, line]])));
  }
  return namesOfYaml(text);
}

/** Reads the list or the map `names` of a YAML file, in block or flow style. */
function namesOfYaml(text: string): Map<number, string> | null {
  const lines = text.split(/\r\n|\r|\n/);
  const start = lines.findIndex((line) => /^names\s*:/.test(line));
  if (start < 0) return null;
  const [first = '', ...others] = lines.slice(start);
  const inline = uncommented(first.replace(/^names\s*:/, ''));
  if (inline !== '' && !/^[[{]/.test(inline)) return null;
  const entries = inline === '' ? linesBelow(others) : inBrackets([inline, ...others].join('\n'));
  const names = new Map<number, string>();
  for (const [at, entry] of entries.entries()) {
    const [, number, value] = /^(?:(\d{1,6})\s*:\s)?([^]*)$/.exec(entry) ?? [];
    names.set(number === undefined ? at : Number(number), unquoted((value ?? '').trim()));
  }
  return names.size === 0 ? null : names;
}

/** Returns `- Ada` and `0: Ada`, to the next key. */
function linesBelow(lines: readonly string[]): string[] {
  const entries: string[] = [];
  for (const line of lines.map(uncommented)) {
    if (line === '') continue;
    const entry = /^\s*-\s+(.*)$/.exec(line)?.[1] ?? /^\s+(\d+\s*:\s.*)$/.exec(line)?.[1];
    if (entry === undefined) break;
    entries.push(entry);
  }
  return entries;
}

/** Returns the parts of `[Ada, 'Bob, the second']` or `{0: Ada}`. */
function inBrackets(text: string): string[] {
  const entries: string[] = [];
  let [entry, quote] = ['', ''];
  for (const letter of text.slice(1)) {
    if (quote === '' && /[,\]}]/.test(letter)) {
      if (entry.trim() !== '') entries.push(entry.trim());
      if (letter !== ',') return entries;
      entry = '';
      continue;
    }
    if (quote === letter) quote = '';
    else if (quote === '' && /["']/.test(letter) && isBeforeName(entry)) quote = letter;
    entry += letter;
  }
  return [];
}

/** Tests for text before the name: blanks, and possibly the class's number. */
function isBeforeName(entry: string): boolean {
  return entry.length < 50 && /^\s*(\d+\s*:\s*)?$/.test(entry);
}

function uncommented(line: string): string {
  return line
    .replace(/(^|\s)#.*$/, '')
    .trimEnd()
    .replace(/^\s+(?=[[{])/, '');
}

function unquoted(text: string): string {
  if (/^'.*'$/.test(text)) return text.slice(1, -1).replaceAll("''", "'");
  return /^".*"$/.test(text) ? text.slice(1, -1).replaceAll(/\\(["\\])/g, '$1') : text;
}
