import type { EngineOptions } from '../../engine/engine-options.js';
import { onEngine, printJson } from '../../engine/engine-work.js';
import { printable, textTable } from '../../output/text-table.js';

/** Prints what an engine found in the bucket whose models it follows, and what is wrong with it. */
export function listFollowed({ json, ...options }: EngineOptions & { json?: boolean }): Promise<void> {
  return onEngine(options, async ({ client }) => {
    const found = await client.request('GET /v1/models/followed/');
    if (json) return printJson(found);
    const rows = found.map(({ name, version_number: version, state, digest }) => [
      ...[printable(name), String(version), state, digest?.slice(0, 12) ?? ''],
    ]);
    const table = textTable(['Name', 'Version', 'State', 'Digest'], rows, ['left', 'right']);
    process.stdout.write(rows.length === 0 ? 'Nothing is followed, or nothing lies there.\n' : `${table}\n`);
    for (const { name, version_number: version, problem } of found) {
      if (problem !== null) process.stderr.write(`✗ ${printable(name)} ${version}: ${printable(problem)}\n`);
    }
  });
}
