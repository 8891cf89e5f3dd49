// npm run sdk-check [-- openapi-python python go java]: clients that others generate from docs/api/openapi.json. Each is
// generated, compiled, and posts a job with a file it uploaded to an engine that runs here, reading typed results.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleMedia } from '@adit/testing';
import { SetupError } from '../setup/step.mjs';
import { startEngine } from './engine.mjs';
import { kinds } from './kinds.mjs';

const USAGE = `Generates clients from docs/api/openapi.json, compiles them, and lets each post a job to an engine that runs here.

  npm run sdk-check [-- client …]

  client     ${Object.keys(kinds).join(', ')} (default: all of them)
  --help     this text

Ends with 1 when one of them fails. Java 17, Maven, Go and Python 3.10 have to be there.`;

/**
 * @param {string[]} names Of the kinds of clients; none are all.
 * @returns {Promise<number>} The exit code: 1 when one of them failed.
 */
export async function runSdkCheck(names) {
  if (names.includes('--help') || names.includes('-h')) {
    console.log(USAGE);
    return 0;
  }
  const unknown = names.filter((name) => !(name in kinds));
  if (unknown.length > 0) {
    throw new SetupError(`There is no client "${unknown[0]}". Known: ${Object.keys(kinds).join(', ')}.`);
  }
  const folder = mkdtempSync(join(tmpdir(), 'adit-sdk-'));
  const engine = await startEngine(join(folder, 'data'));
  const args = [engine.url, engine.key, sampleMedia().groups.sample1];
  const failed = [];
  try {
    for (const name of names.length > 0 ? names : Object.keys(kinds)) {
      const started = performance.now();
      try {
        const said = await kinds[name]({ folder: join(folder, name), args });
        console.log(`${name}: ${said.trim()} (${Math.round((performance.now() - started) / 1000)} s)`);
      } catch (error) {
        if (!(error instanceof SetupError)) throw error;
        failed.push(name);
        console.error(`${name}: ${error.message}`);
      }
    }
  } finally {
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return failed.length > 0 ? 1 : 0;
}
