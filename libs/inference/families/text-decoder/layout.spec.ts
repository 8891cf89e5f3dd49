import { describe, expect, it } from '@jest/globals';
import { decoderLayout } from './layout.js';

const value = (name: string, type: string, axes: (number | string)[]) => ({ name, type, axes });
const TOKENS = value('input_ids', 'int64', ['n', 't']);
const SEEN = value('encoder_hidden_states', 'float32', ['n', 's', 24]);
const LOGITS = value('logits', 'float32', ['n', 't', 48]);
const past = (name: string) => value(`past_key_values.${name}`, 'float32', ['n', 2, 'p', 12]);
const present = (name: string) => value(`present.${name}`, 'float32', ['n', 2, 'p + t', 12]);

describe('a text decoder', () => {
  it("is recognised by Optimum's names, with or without a cache", () => {
    const plain = decoderLayout({ inputs: [TOKENS, SEEN], outputs: [LOGITS, present('0.key')] });
    expect(plain).toMatchObject({ tokens: 'input_ids', encoded: 'encoder_hidden_states', branch: null, cache: [] });
    const names = ['0.decoder.key', '0.decoder.value', '0.encoder.key', '0.encoder.value'];
    const merged = decoderLayout({
      inputs: [
        TOKENS,
        SEEN,
        ...names.map(past),
        value('use_cache_branch', 'bool', [1]),
        value('attention_mask', 'int64', ['n', 'm']),
      ],
      outputs: [LOGITS, ...names.map(present)],
    });
    expect(merged).toMatchObject({ branch: 'use_cache_branch', masks: { text: 'attention_mask', picture: null } });
    expect(typeof merged === 'object' && merged?.cache).toEqual(
      names.map((name) => ({
        ...{ past: `past_key_values.${name}`, present: `present.${name}`, type: 'float32', heads: 2, width: 12 },
        of: name.includes('encoder') ? 'picture' : 'text',
      })),
    );
  });

  it('that cannot be used gives the reason', () => {
    const goesOn = { inputs: [TOKENS, past('0.decoder.key'), past('0.encoder.key')], outputs: [LOGITS] };
    expect(decoderLayout(goesOn)).toMatch(/cannot begin: take decoder_model_merged\.onnx/);
    const strange = { inputs: [TOKENS, SEEN, value('pixels', 'float32', [1])], outputs: [LOGITS] };
    expect(decoderLayout(strange)).toMatch(/an input pixels, which nothing here knows/);
    expect(decoderLayout({ inputs: [TOKENS, SEEN, past('0.key')], outputs: [LOGITS] })).toMatch(
      /has no present\.0\.key/,
    );
  });

  it('is not recognised without tokens, encoder states or logits', () => {
    expect(decoderLayout({ inputs: [TOKENS, SEEN], outputs: [] })).toBeNull();
    expect(decoderLayout({ inputs: [SEEN], outputs: [LOGITS] })).toBeNull();
    expect(decoderLayout({ inputs: [TOKENS], outputs: [LOGITS] })).toBeNull();
  });
});
