import { AditError } from '@adit/contracts';
import { inspectHere } from './inspect.js';

/** Program of `inspectModel`: inspects the given file and writes one line of JSON. */
const [path = ''] = process.argv.slice(2);
try {
  write({ inspection: await inspectHere(path) });
} catch (error) {
  if (!(error instanceof AditError)) throw error;
  write({ refused: error.message, errors: error.options.errors });
}

function write(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
