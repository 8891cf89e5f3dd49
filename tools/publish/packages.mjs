// The clients as packages that npm and pip install from a file, or from a registry that they are put into.
import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pythonWith } from '../peers/python.mjs';
import { repositoryRoot } from '../setup/places.mjs';
import { binOf } from '../setup/program.mjs';
import { SetupError } from '../setup/step.mjs';
import { described } from './release.mjs';

/** The tool of Python's packaging authority; it fetches setuptools, as pyproject.toml asks for it. */
const BUILD = 'build==1.6.1';

/** @param {import('./run.mjs').Release} release */
export async function makePackages(release) {
  const made = [await packNpm(release), ...(await packPython(release))];
  release.files.push(...made);
  return made.map(described);
}

/** The TypeScript client as JavaScript with its types; answers the path of the .tgz. */
export async function packNpm({ step, out, version }) {
  step.begin('Packing @adit/client');
  return await inScratch(async (scratch) => {
    const client = join(repositoryRoot, 'libs/client');
    const project = join(scratch, 'tsconfig.json');
    const compilerOptions = {
      ...{ noEmit: false, allowJs: false, declaration: true, rootDir: client, outDir: join(scratch, 'dist') },
      ...{ emitDecoratorMetadata: false, typeRoots: [join(repositoryRoot, 'node_modules/@types')] },
    };
    writeFileSync(
      project,
      JSON.stringify({
        extends: join(repositoryRoot, 'tsconfig.base.json'),
        compilerOptions,
        files: [join(client, 'index.ts')],
      }),
    );
    await step.exec(process.execPath, [binOf('typescript-7', 'tsc'), '-p', project]);
    rmSync(project);
    writeFileSync(join(scratch, 'package.json'), JSON.stringify(manifestOf(version), null, 2));
    copyFileSync(join(repositoryRoot, 'LICENSE'), join(scratch, 'LICENSE'));
    copyFileSync(join(repositoryRoot, 'docs/guides/client.md'), join(scratch, 'README.md'));
    const packed = await step.exec('npm', ['pack', '--json', '--pack-destination', out], { cwd: scratch });
    return join(out, JSON.parse(packed)[0].filename);
  });
}

function manifestOf(version) {
  const { engines } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'));
  return {
    name: '@adit/client',
    version,
    description: 'TypeScript client of Adit, an on-premises visual mining engine',
    license: 'Apache-2.0',
    type: 'module',
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    files: ['dist'],
    sideEffects: false,
    engines,
  };
}

/** The Python client, built from a copy, since the build writes beside its sources; answers the paths of wheel and sdist. */
export async function packPython({ step, out }) {
  step.begin('Packing adit-client');
  const python = await pythonWith('build', { name: 'python-build', installs: [[BUILD]] }).catch((error) => {
    throw new SetupError(`adit-client cannot be packed: ${error.message}`);
  });
  return await inScratch(async (scratch) => {
    const source = join(scratch, 'adit-client');
    const outside = /(^|\/)(tests|__pycache__|build|[^/]*\.egg-info)$/;
    cpSync(join(repositoryRoot, 'libs/client-python'), source, {
      recursive: true,
      filter: (path) => !outside.test(path),
    });
    copyFileSync(join(repositoryRoot, 'LICENSE'), join(source, 'LICENSE'));
    const made = join(scratch, 'made');
    const advice = 'Check that pip reaches its index ("pip download setuptools"), then run this again.';
    await step.exec(python, ['-m', 'build', '--outdir', made, source], { advice });
    return readdirSync(made).map((name) => {
      const file = join(out, name);
      copyFileSync(join(made, name), file);
      return file;
    });
  });
}

async function inScratch(work) {
  const scratch = mkdtempSync(join(tmpdir(), 'adit-packages-'));
  try {
    return await work(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
