import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Findings on disk, appended one line at a time, so that an interrupted run can resume. A finding is valid as long as the texts
 * that it was made from are unchanged.
 */
export class Findings {
  #file;
  #known = new Map();

  /** @param {string} file of JSON lines; without `resume` it begins anew */
  constructor(file, { resume }) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true });
    if (!resume) rmSync(file, { force: true });
    for (const line of existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []) this.#read(line);
  }

  get(key) {
    return this.#known.get(key);
  }

  add(key, finding) {
    this.#known.set(key, finding);
    appendFileSync(this.#file, `${JSON.stringify({ key, ...finding })}\n`);
  }

  #read(line) {
    try {
      const { key, ...finding } = JSON.parse(line);
      this.#known.set(key, finding);
    } catch (error) {
      // The last line of a run that was ended while it wrote, or an empty one.
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
}

/** SHA-256 of texts and of files below `root`. */
export function digestOf(root, { texts = [], files = [] }) {
  const hash = createHash('sha256');
  for (const text of [...texts, ...files.map((file) => readFileSync(join(root, file), 'utf8'))]) {
    hash.update(`${text.length}\n${text}`);
  }
  return hash.digest('hex');
}
