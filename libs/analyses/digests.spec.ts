import type { ModelPin } from '@adit/contracts';
import { analysisDigest, AnalysisRegistry, identityOf, modelsOf } from '@adit/inference';
import { describe, expect, it } from '@jest/globals';
import { analysesFolder } from './index.js';

/**
 * Digests that key cached observations, for default arguments and invented models. A changed one makes caches stale, so
 * only a raised `version`, other arguments or inputs, or another DECODER_VERSION may change it.
 */
const DIGESTS = {
  captions: '8e066ba80a09367daf5fe3aefad212d02a252d1406a7e30ab5c0d06036af99f7',
  faces: '79d70984e46fb2bbacc8c260743adc6363240cb6b7810bbae8137c8d4a8750f2',
  'image-embedding': 'c331363d634e01f4b8f8c1a7a96aef6d6c9053656a67417e80b53068b2a8f475',
  objects: 'e63c836e30d93e4c8feba7ab70ffcea81f788d99be1b7fbcfd78efa4862497c3',
  scenes: 'dd736139947c994f615265346844e5b7536d7e0353098177f45243cd1090d3ca',
  speech: 'e991715bfe242b4094c4074df56230cd858d2e23620d590250b0e15b2429adb7',
  text: 'fbb785377edf5f367e7355485a26514ee43c3c634c3a1a444b83a88f34a56ff0',
  'voice-activity': '9bfb5158771d9959b82d5018b5b167d562e9dac5f8fea22508348b45ec379deb',
  voices: 'c8f5e8bf2ea0ecc6625fcc577abae88774cef4a0910c1c68f95d4f7fca116404',
};

const pin = (name: string): ModelPin => ({ name, version: 1, digest: 'a'.repeat(64) });

/** Digests by analysis, for networks that calculate in `precision`. */
async function digestsIn(precision: ModelPin['precision']): Promise<Record<string, string>> {
  const analyses = await AnalysisRegistry.scan(analysesFolder);
  const digests = analyses.all().map((definition): [string, string] => {
    const args = definition.args.parse({});
    const pins = modelsOf(definition, args).map((name) => ({ ...pin(name), ...(precision && { precision }) }));
    return [definition.name, analysisDigest(identityOf(definition, args, pins))];
  });
  return Object.fromEntries(digests);
}

describe('the digest of an analysis', () => {
  it('stays the same, since caches depend on it', async () => {
    expect(await digestsIn(undefined)).toMatchObject(DIGESTS);
  });

  it('differs where the networks calculate in float16', async () => {
    const [full, half] = await Promise.all([digestsIn(undefined), digestsIn('float16')]);
    expect(Object.keys(full).filter((name) => full[name] === half[name])).toEqual([]);
  });
});
