// Mutants of a source, each with one change, made by Stryker's instrumenter.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';

/** Babel's notes on large files are of no use here. */
const quiet = {
  isDebugEnabled: () => false,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
};

const RECORDER = new URL('./reached.mjs', import.meta.url).href;

/** Wording is for people, and no test is meant to hold a sentence. */
const wording = {
  shouldIgnore({ node, parent, listKey, key, parentPath }) {
    if (node.type === 'CallExpression' && isLogger(node.callee)) return 'what is logged';
    if (listKey === 'arguments' && parent.type === 'NewExpression' && isMessage(parent, key))
      return 'what an error says';
    if (listKey === 'arguments' && parent.type === 'CallExpression' && parent.callee.name === 'createLogger')
      return 'who logs';
    const named = node.type === 'ObjectProperty' && parentPath.isObjectExpression() ? node.key.name : '';
    return named === 'description' || named === 'help' ? 'what a setting or a metric says' : undefined;
  },
};

/** `log.warn(…)`, `this.log.warn(…)`. */
function isLogger({ type, object }) {
  return type === 'MemberExpression' && (object.name === 'log' || object.property?.name === 'log');
}

/** An AditError has its code before the message. */
function isMessage({ callee }, index) {
  return callee.name === 'AditError' ? index === 1 : index === 0 && callee.name?.endsWith('Error');
}

/**
 * Mutants of the source at `path` below `root`, in the order of the text, and the source with all of them switched off that
 * tells which are reached. What differs in nothing but Stryker's name for it is one mutant.
 *
 * @typedef {object} Mutant
 * @property {string} file
 * @property {number} line counted from 1
 * @property {string} kind Stryker's name, such as ConditionalExpression
 * @property {string} from the line on which it begins
 * @property {string} to what stands there instead, up to the end of the last line that it changes
 * @property {string} text the whole source with it
 * @property {string} id `file#number`, good for this text alone
 * @returns {Promise<{ mutants: Mutant[], watched: string }>}
 */
export async function mutate(root, path) {
  const source = readFileSync(join(root, path), 'utf8');
  const { files, mutants } = await new Instrumenter(quiet).instrument([{ name: path, mutate: true, content: source }], {
    plugins: null,
    excludedMutations: [],
    ignorers: [wording],
  });
  const found = new Map();
  for (const { id, location, mutatorName, replacement, status } of mutants) {
    if (status !== undefined) continue;
    const [from, to] = [offsetOf(source, location.start), offsetOf(source, location.end)];
    const text = source.slice(0, from) + replacement + source.slice(to);
    if (found.has(text)) continue;
    const [begin, end] = [source.lastIndexOf('\n', from - 1) + 1, endOfLine(source, to)];
    found.set(text, {
      id: `${path}#${id}`,
      file: path,
      line: location.start.line + 1,
      kind: mutatorName,
      from: source.slice(begin, endOfLine(source, from)).trim(),
      to: (source.slice(begin, from) + replacement + source.slice(to, end)).trim(),
      text,
    });
  }
  // Numbers are each file's own, and a process loads many of them.
  const content = files[0].content.replace(
    /\b(stryMutAct_9fa48|stryCov_9fa48)\(("\d+"(?:, "\d+")*)\)/g,
    (_, name, ids) => {
      return `${name}(${ids.replace(/"(\d+)"/g, (_all, id) => JSON.stringify(`${path}#${id}`))})`;
    },
  );
  return { mutants: [...found.values()], watched: `import ${JSON.stringify(RECORDER)};\n${content}` };
}

/** Offset of a Babel location, whose lines and columns count from 0. */
function offsetOf(text, { line, column }) {
  let begin = 0;
  for (let left = line; left > 0; left--) begin = text.indexOf('\n', begin) + 1;
  return begin + column;
}

function endOfLine(text, from) {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
