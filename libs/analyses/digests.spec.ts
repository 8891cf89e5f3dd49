import type { ModelPin } from '@adit/contracts';
import { analysisDigest, AnalysisRegistry, identityOf, modelsOf } from '@adit/inference';
import { describe, expect, it } from '@jest/globals';
import { analysesFolder } from './index.js';

/**
 * What observations are cached by, for default arguments and made-up models. One that changes makes the caches stale: only
 * a raised `version`, other arguments or inputs, or another DECODER_VERSION may.
 */
const DIGESTS = {
  captions: '8420e350a951fc7a79807e339bf66aa677603914a9000ebf437e87d9d11c2b1d',
  faces: '71b7057fb5b0aa4eaa65f82574ccfccdfd260513eb583ff96214a4c39a6a3a8d',
  'image-embedding': 'a2680ec7ed2e103088b594f249f83061e209df6de2e8ab7971b0c6c382191d60',
  objects: '488a8910e95ba68c01886c8e7d0fa34e4716b31b5d5528f1a9aeb3133ee6f494',
  scenes: '979294f8e4f3925000e1c3b4ab8d3d64e85cd8c5ec722a4b3e38fd50035b6e3e',
  speech: '02540b5ca8cdbd5f5a8d3ee0467fdd34e5e474011aef4303ac0083a15ccbeece',
  text: '49db6ea41088d3c57a54b02156d46f0ff8a6d1af087d10ea805f5eae7bd21603',
  'voice-activity': 'ca2b32c9b0615b84076594baf160b95941d9921af4a8a41615e152784746d25e',
  voices: 'e2144eca94e579dba9d86adc3a941234bf9b7bdb73b402ff3d3ddf2944c954c7',
};

const pin = (name: string): ModelPin => ({ name, version: 1, digest: 'a'.repeat(64) });

/** By the name of the analysis, for networks that calculate in `precision`. */
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
  it('stays what caches know it by', async () => {
    expect(await digestsIn(undefined)).toMatchObject(DIGESTS);
  });

  it('is another one where the networks calculate in float16', async () => {
    const [full, half] = await Promise.all([digestsIn(undefined), digestsIn('float16')]);
    expect(Object.keys(full).filter((name) => full[name] === half[name])).toEqual([]);
  });
});
