// `npm run publish`: what a release consists of, as files and, with --push, in a registry.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../setup/places.mjs';
import { SetupError, Step } from '../setup/step.mjs';
import { makeChart } from './chart.mjs';
import { makeImages } from './images.mjs';
import { optionsOf, STEPS, USAGE } from './options.mjs';
import { makePackages } from './packages.mjs';
import { releaseVersion, revisionOf } from './release.mjs';
import { makeSbom } from './sbom.mjs';
import { makeSignature } from './signature.mjs';

/**
 * @typedef {object} Release
 * @property {Step} step
 * @property {string} version
 * @property {string} revision
 * @property {string} registry
 * @property {boolean} push
 * @property {boolean} plainHttp
 * @property {string} out
 * @property {string[]} files What was made, by path.
 * @property {{ reference: string, sboms: { reference: string, file: string }[] }[]} pushed By digest; `sboms` are lists of what is inside.
 */

const MAKERS = {
  images: makeImages,
  chart: makeChart,
  sbom: makeSbom,
  packages: makePackages,
  signature: makeSignature,
};

/** Answers the exit code. */
export async function runPublish(args) {
  const options = optionsOf(args, process.env.INIT_CWD ?? process.cwd());
  if (options === null) {
    console.log(USAGE);
    return 0;
  }
  const version = releaseVersion();
  const { revision, isClean } = revisionOf();
  if (options.push && !isClean) {
    throw new SetupError(
      'There are changes that are not committed, so nobody could tell what was pushed: commit them.',
    );
  }
  const out = options.out ?? join(repositoryRoot, `out/release-${version}`);
  mkdirSync(out, { recursive: true });
  const release = { ...options, step: new Step(), version, revision, out, files: [], pushed: [] };
  console.log(`Adit ${version}, commit ${revision.slice(0, 12)}${isClean ? '' : ' with changes'}, to ${out}`);
  for (const name of STEPS) {
    const said = options.steps.includes(name) ? await MAKERS[name](release) : ['skipped'];
    release.step.end();
    for (const line of said) console.log(`  ${name.padEnd(10)}${line}`);
  }
  if (!options.push) console.log('Nothing was pushed. --push does.');
  return 0;
}
