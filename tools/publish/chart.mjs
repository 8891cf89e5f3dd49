// The chart as a package, which names the images that are published beside it.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from '../kubernetes/programs.mjs';
import { execute } from '../setup/execute.mjs';
import { repositoryRoot } from '../setup/places.mjs';
import { SetupError } from '../setup/step.mjs';
import { described } from './release.mjs';

const REPOSITORY = /^( {2}repository: )adit$/m;

/** @param {import('./run.mjs').Release} release */
export async function makeChart(release) {
  const helm = await program('helm', release.step);
  const file = await packChart(helm, release);
  release.files.push(file);
  const said = [described(file)];
  if (release.push) {
    release.step.begin('Pushing the chart');
    const printed = await execute(helm, [
      ...['push', file, `oci://${release.registry}/charts`],
      ...(release.plainHttp ? ['--plain-http'] : []),
    ]);
    const digest = /Digest: (sha256:[0-9a-f]{64})/.exec(printed)?.[1];
    if (digest === undefined) throw new SetupError(`helm push told no digest:\n${printed}`);
    const reference = `${release.registry}/charts/adit@${digest}`;
    release.pushed.push({ reference, sboms: [] });
    said.push(`pushed oci://${release.registry}/charts/adit:${release.version}, ${digest}`);
  }
  return said;
}

/** Answers the path of the package. */
export async function packChart(helm, { step, registry, version, out }) {
  step.begin('Packing the chart');
  const scratch = mkdtempSync(join(tmpdir(), 'adit-chart-'));
  try {
    const chart = join(scratch, 'adit');
    cpSync(join(repositoryRoot, 'helm/adit'), chart, { recursive: true });
    const values = join(chart, 'values.yaml');
    const text = readFileSync(values, 'utf8');
    if (!REPOSITORY.test(text))
      throw new SetupError('helm/adit/values.yaml has no "repository: adit" to put the registry into.');
    writeFileSync(values, text.replace(REPOSITORY, `$1${registry}/adit`));
    await execute(helm, ['package', chart, '--version', version, '--app-version', version, '--destination', out]);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return join(out, `adit-${version}.tgz`);
}
