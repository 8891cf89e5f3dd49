import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEngine } from '@adit/standalone';
import { pythonWith } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWithPrograms, runProgram } from '../chart/chart.js';
import { program } from '../kubernetes/programs.mjs';
import { Step } from '../setup/step.mjs';
import { packChart } from './chart.mjs';
import { optionsOf } from './options.mjs';
import { packNpm, packPython } from './packages.mjs';
import { releaseVersion } from './release.mjs';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const KEY = 'a-key-of-the-specs';
const version = releaseVersion();

const out = mkdtempSync(join(tmpdir(), 'adit-publish-'));
/** Says nothing of what goes well. */
const step = Object.assign(new Step({ live: false }), { begin: () => undefined });
const release = { step, out, version, registry: 'registry.example.org/media' };
afterAll(() => rmSync(out, { recursive: true, force: true }));

describe('what npm run publish is told', () => {
  const options = (...args: string[]) => optionsOf(['--registry', 'registry.example.org/media', ...args], '/here');

  it('pushes nothing unless asked to, and does every step that is not skipped', () => {
    expect(options()).toMatchObject({ push: false, steps: ['images', 'chart', 'sbom', 'packages', 'signature'] });
    expect(options('--skip', 'images,sbom', '--push')).toMatchObject({
      push: true,
      steps: ['chart', 'packages', 'signature'],
    });
    expect(options('--only', 'chart', '--out', 'made', '--key', '/keys/cosign.key')).toMatchObject({
      steps: ['chart'],
      out: '/here/made',
      key: '/keys/cosign.key',
    });
    expect(optionsOf(['--help'], '/here')).toBeNull();
  });

  it.each([
    [['--registry', 'https://registry.example.org/adit'], /--registry takes host\/path/],
    [['--registry', 'registry.example.org'], /--registry takes host\/path/],
    [['--registry', 'registry.example.org/adit:1'], /--registry takes host\/path/],
    [['--registry', 'r/a', '--skip', 'pictures'], /--skip takes images, chart, .* not "pictures"/],
    [['--registry', 'r/a', '--platform', 'windows/amd64'], /--platform takes linux\/amd64 and linux\/arm64/],
    [['--registry', 'r/a', '--variants', 'rocm'], /--variants takes cpu, cuda/],
    [['--registry', 'r/a', '--image', 'x', '--platform', 'linux/amd64'], /--image is one that is built/],
    [['--registry', 'r/a', '--node-image', 'debian', '--platform', 'linux/arm64'], /for this machine alone/],
    [['--registry', 'r/a', '--pusch'], /--pusch/],
  ])('refuses %j with a sentence', (args, sentence) => {
    expect(() => optionsOf(args, '/here')).toThrow(sentence);
  });

  it('is of one version, whichever file is asked', () => {
    const read = (file: string) => readFileSync(join(root, file), 'utf8');
    const other = (file: string) => (file.endsWith('.toml') ? 'version = "9.9.9"' : read(file));
    expect(() => releaseVersion(other)).toThrow(
      `of version ${version}, but libs/client-python/pyproject.toml says 9.9.9`,
    );
  });
});

await describeWithPrograms('the chart as a package', ['helm'], () => {
  it('installs the images that are published beside it', async () => {
    const file = await packChart(await program('helm'), release);
    const text = await runProgram('helm', ['template', 'adit', file, '--set', 'evaluation.enabled=true']);
    const images = [...text.matchAll(/image: (\S*\/adit\S*)/g)].map(([, image]) => image);
    expect(new Set(images)).toEqual(new Set([`registry.example.org/media/adit:${version}`]));
  });
});

/** A program of somebody who has the package and nothing of this repository. */
const PROGRAM = `import { AditApiError, AditClient, verifyWebhook, type JobOrder } from '@adit/client';

const adit = new AditClient({ url: process.env.ADIT_URL as string, apiKey: process.env.ADIT_API_KEY as string });
const order: JobOrder = { sources: ['https://example.org/film.mp4'], modules: { face_recognition: {} } };
const names: string[] = [];
for await (const job of adit.jobs.list({ state: 'failed' })) names.push(job.id);
let state = '';
try {
  await adit.request('GET /v1/jobs/{jobId}/', { params: { jobId: '00000000-0000-4000-8000-000000000000' } });
} catch (error) {
  if (!(error instanceof AditApiError)) throw error;
  state = \`\${error.status}\`;
}
console.log(JSON.stringify({ jobs: names.length, state, order: Object.keys(order), verify: typeof verifyWebhook }));
`;
const SETTINGS = { module: 'nodenext', target: 'es2022', lib: ['es2023', 'dom'], strict: true, skipLibCheck: false };

const python = await pythonWith(join(root, 'libs/client-python/tests/requirements.txt'));
const noPython = typeof python === 'string' ? '' : ` (skipped: ${python.reason})`;

describe('the clients as packages', () => {
  let engine: Awaited<ReturnType<typeof startEngine>>;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    engine = await startEngine({ dataDir: join(out, 'data'), port: 0, host: '127.0.0.1', quiet: true, apiKey: KEY });
    env = { ...process.env, ADIT_URL: String(engine.url), ADIT_API_KEY: KEY, NO_PROXY: '*', no_proxy: '*' };
    delete env['NODE_OPTIONS'];
  }, 300_000);
  afterAll(() => engine?.close());

  it('npm installs it from its file in an empty folder; a program with it compiles and speaks to an engine', async () => {
    const file = await packNpm(release);
    const folder = join(out, 'npm');
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
    const install = ['install', '--offline', '--no-audit', '--no-fund', '--cache', join(out, 'npm-cache'), file];
    await run('npm', install, { cwd: folder, env });
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    // The types of Node alone come from here.
    const typesOfNode = { types: ['node'], typeRoots: [join(root, 'node_modules/@types')], skipLibCheck: true };
    const tsconfig = { compilerOptions: { ...SETTINGS, ...typesOfNode }, files: ['program.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
    await compiled(folder);
    const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder, env });
    expect(JSON.parse(stdout)).toEqual({
      jobs: 0,
      state: '404',
      order: ['sources', 'modules'],
      verify: 'function',
    });
    // In a page there are no types of Node; those of the package itself are checked, too.
    writeFileSync(
      join(folder, 'page.ts'),
      "import { AditClient } from '@adit/client';\nexport const one = AditClient;\n",
    );
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...SETTINGS, types: [] }, files: ['page.ts'] }),
    );
    await compiled(folder);
  }, 300_000);

  (typeof python === 'string' ? it : it.skip)(
    `pip installs it from its wheel${noPython}`,
    async () => {
      const files: string[] = await packPython(release);
      const [sdist, wheel] = ['.tar.gz', '.whl'].map((end) => files.find((file) => file.endsWith(end))!);
      const { stdout: inside } = await run('tar', ['-tzf', sdist!]);
      expect(inside).toContain(`adit_client-${version}/LICENSE`);
      const folder = join(out, 'pip');
      const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--no-index', '--target', folder, wheel!];
      await run(python as string, pip);
      const script =
        'import adit_client, pathlib; adit = adit_client.AditClient(); ' +
        'print(adit_client.__file__, len(list(adit.models.list())) >= 0, (pathlib.Path(adit_client.__file__).parent / "py.typed").exists())';
      const { stdout } = await run(python as string, ['-c', script], {
        cwd: folder,
        env: { ...env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' },
      });
      expect(stdout.trim()).toBe(`${join(folder, 'adit_client/__init__.py')} True True`);
    },
    600_000,
  );
});

/** Throws with all that the compiler said. */
async function compiled(folder: string): Promise<void> {
  const tsc = join(root, 'node_modules/typescript-7/bin/tsc');
  await run(process.execPath, [tsc, '-p', 'tsconfig.json'], { cwd: folder }).catch(({ stdout }: { stdout: string }) => {
    throw new Error(stdout);
  });
}
