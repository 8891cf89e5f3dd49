import type { ModelPin } from '@adit/contracts';
import { analysisDigest, AnalysisRegistry, identityOf, modelsOf } from '@adit/inference';
import { describe, expect, it } from '@jest/globals';
import { analysesFolder } from './index.js';

/**
 * What observations are cached by, for default arguments and made-up models. One that changes makes the caches stale: only
 * a raised `version`, other arguments or inputs, or another DECODER_VERSION may.
 */
const DIGESTS = {
  captions: 'df797762b0a0ef294557c53b55904f18acd8142fb5d6c79f5099ea674715cdf9',
  faces: 'f0fcbb29090781275153e733a1d5ec8df61a5f18fb3575a8e3deede2bcf7aea8',
  'image-embedding': '6b6c388fcb1287d08ab03c0d9c521a00bba003e296345fb2266a0074db449db3',
  objects: 'dcc2144403e83f4c3c9a933c72d3232b5e195952f52cd8ded5290eb5e1bbdd8b',
  scenes: '971f1351056df3fd256b186dd8354ca8c02bf54ca63c4a194ad763797985f7fe',
  speech: '9910f4e7b2e669387d711d22ea9c12ab13449b591a2033524f49e48ee33de406',
  text: '8b9f602111c266708aa9fa574ad15e49a59d0239a473c0c10df9aecd2d4521c3',
  'voice-activity': 'bb44705454c8d0a582638cb7913386d44fc3fc03c078ae0d853897abb382cee1',
  voices: '855ad9c4ff4ea54026c64ff54aaa440545cb356269a0c0b0ce9eece0b068680b',
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
