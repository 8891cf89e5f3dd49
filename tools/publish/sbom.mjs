// The dependencies of the services, from the lockfile. The image's own list has its other contents (deploy/complete-sbom.mjs).
import { join } from 'node:path';
import { pnpmProgram } from '../setup/steps/packages.mjs';
import { described } from './release.mjs';

/** @param {import('./run.mjs').Release} release */
export async function makeSbom(release) {
  const { step, out, version } = release;
  const pnpm = await pnpmProgram(step);
  step.begin('Listing the packages of npm');
  const file = join(out, `adit-${version}-npm.cdx.json`);
  await step.exec(pnpm, [
    ...['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--sbom-spec-version', '1.6'],
    ...['--prod', '--lockfile-only', '--filter', '{./apps/*}...', '--out', file],
  ]);
  release.files.push(file);
  return [described(file)];
}
