import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { binOf } from '../setup/program.mjs';

interface Report {
  diagnostics: { filename: string; message: string; labels: { span: { line: number } }[] }[];
}

/**
 * Runs one rule of oxlint. Returns its findings by file: `line: message`.
 * @param files texts by path
 * @param rule its name in the plugin `adit`
 * @param plugin source of a module that exports the rule as `rule`
 */
export async function linted(
  files: Record<string, string>,
  rule: string,
  plugin: string,
): Promise<Map<string, string[]>> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'adit-linted-')));
  try {
    const config = {
      jsPlugins: ['./plugin.mjs'],
      categories: { correctness: 'off' },
      rules: { [`adit/${rule}`]: 'error' },
    };
    const written = {
      ...files,
      'rule.mjs': plugin,
      'plugin.mjs': `import { rule } from './rule.mjs';
        export default { meta: { name: 'adit' }, rules: { '${rule}': rule } };`,
      '.oxlintrc.json': JSON.stringify(config),
    };
    for (const [file, text] of Object.entries(written)) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text);
    }
    const args = [binOf('oxlint'), '--format=json', ...Object.keys(files)];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    if (stderr !== '') throw new Error(stderr);
    const said = new Map<string, string[]>();
    for (const { filename, message, labels } of (JSON.parse(stdout) as Report).diagnostics) {
      said.set(filename, [...(said.get(filename) ?? []), `${labels[0]?.span.line}: ${message}`]);
    }
    return said;
  } finally {
    await rm(folder, { recursive: true });
  }
}
