import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
/** Folders and files that a spec and the command line need when they run from source. */
const PARTS = [
  'apps',
  'libs',
  'models',
  'tools/setup',
  'tools/testing',
  'jest.config.mjs',
  'package.json',
  'pnpm-workspace.yaml',
  '.swcrc',
];
const FROM_SOURCE = ['--conditions=@adit/source', '--import', './libs/testing/source-loader.mjs'];

/** The sources of this checkout in a folder of their own, to be changed at will; packages and weights are links. */
export class RepositoryCopy {
  private constructor(readonly folder: string) {}

  static async make(): Promise<RepositoryCopy> {
    const copy = new RepositoryCopy(await mkdtemp(join(tmpdir(), 'adit-copy-')));
    const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard', '-z', '--', ...PARTS], { cwd: root });
    const files = stdout.split('\0').filter((file) => file !== '' && !file.endsWith('.spec.ts'));
    await Promise.all(files.map((file) => copy.take(file)));
    await symlink(join(root, 'node_modules'), join(copy.folder, 'node_modules'));
    const packages = files.filter((file) => file.endsWith('/package.json')).map(dirname);
    // Links of their own, so that those to other packages of the workspace stay within the copy.
    await Promise.all(packages.map((name) => copy.take(join(name, 'node_modules'))));
    // Build outputs: bundled packages, and the template of an embedded database, which takes longer to make than all else.
    await copy.take('libs/vendor/dist');
    const built = 'libs/database/dist';
    const templates = (await readdir(join(root, built))).filter((name) => name.endsWith('.tar.gz'));
    await Promise.all(templates.map((name) => copy.take(join(built, name))));
    for (const name of await readdir(join(root, 'models'))) await copy.linkWeights(join('models', name, '1'));
    return copy;
  }

  async write(path: string, content: string): Promise<void> {
    await mkdir(dirname(join(this.folder, path)), { recursive: true });
    await writeFile(join(this.folder, path), content);
  }

  /**
   * Runs a command line as a reader would, and answers what it printed. `npm run adit|mine` runs the same program from
   * source instead, since the copy is not built. Throws with everything it printed when it fails.
   */
  async run(command: string): Promise<string> {
    const [program = '', ...args] = this.fromSource(command.split(/\s+/));
    try {
      const { stdout, stderr } = await run(program, args, {
        cwd: this.folder,
        // Jest tells its own runs of others by the worker's number.
        env: { ...process.env, NODE_OPTIONS: '', JEST_WORKER_ID: undefined, ADIT_LOG_LEVEL: 'warn' },
        maxBuffer: 16 << 20,
      });
      return `${stdout}${stderr}`;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`${command} failed:\n${stdout}${stderr}`, { cause: error });
    }
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }

  private fromSource(words: string[]): string[] {
    const [npm, verb, script = '', dashes, ...args] = words;
    if (npm === 'node') return [process.execPath, ...words.slice(1)];
    if (npm !== 'npm' || verb !== 'run' || dashes !== '--' || !['adit', 'mine'].includes(script)) return words;
    const command = script === 'mine' ? ['mine', ...args] : args;
    return [process.execPath, ...FROM_SOURCE, 'apps/cli/main.ts', ...command];
  }

  private async take(path: string): Promise<void> {
    await mkdir(dirname(join(this.folder, path)), { recursive: true });
    await cp(join(root, path), join(this.folder, path), { recursive: true, verbatimSymlinks: true }).catch(
      ignoreMissing,
    );
  }

  private async linkWeights(folder: string): Promise<void> {
    const from = join(root, folder, 'model.onnx');
    const files = await readdir(dirname(from)).catch((): string[] => []);
    if (!files.includes('model.onnx')) return;
    await mkdir(join(this.folder, folder), { recursive: true });
    await symlink(from, join(this.folder, folder, 'model.onnx'));
  }
}

/** A package without dependencies has no node_modules; a file may be deleted and not committed yet. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
