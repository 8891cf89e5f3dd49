import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TextInput } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { TextTokenizer, TOKENIZER_LIMITS, tokenRow } from './tokenizer.js';

/**
 * Made by Hugging Face's tokenizers 0.23.3 in Python: tokenizers built like those of CLIP and SigLIP, trained on a
 * dozen sentences, and their results.
 */
const Golden = z.record(
  z.enum(['clip', 'siglip']),
  z.object({ tokenizer: z.looseObject({}), texts: z.array(z.tuple([z.string(), z.array(z.int())])) }),
);
const golden = Golden.parse(JSON.parse(readFileSync(join(import.meta.dirname, 'golden/tokenizers.json'), 'utf8')));
const read = (value: unknown): TextTokenizer => TextTokenizer.read(Buffer.from(JSON.stringify(value)));

describe.each(['clip', 'siglip'] as const)('a tokenizer as that of %s', (name) => {
  const { tokenizer, texts } = golden[name];

  it("makes the same tokens as Hugging Face's own", () => {
    const ours = read(tokenizer);
    expect(texts.length).toBeGreaterThanOrEqual(40);
    expect(texts.map(([text]) => [text, ours.encode(text, 1024)])).toEqual(texts);
  });

  it('truncates the text where it is too long, never its start and end tokens', () => {
    const ours = read(tokenizer);
    const [text, ids] = [
      'the quick brown fox jumps over the lazy dog',
      ours.encode('the quick brown fox jumps over the lazy dog', 1024),
    ];
    const cut = ours.encode(text, 10);
    expect(cut).toHaveLength(10);
    expect(cut.slice(0, 9)).toEqual(ids.slice(0, 9));
    expect(cut.at(-1)).toBe(ids.at(-1));
  });
});

describe('the text of tokens', () => {
  const clip = golden.clip.tokenizer;

  it('is empty without tokens', () => {
    expect(read(clip).text([])).toBe('');
  });

  it('is refused for unknown tokens', () => {
    const model = { ...z.looseObject({}).parse(clip['model']), unk_token: null };
    const strange = read({ ...clip, model, decoder: { type: 'Metaspace' } });
    expect(() => strange.text([99_999])).toThrow(expect.objectContaining({ code: 'VALIDATION' }));
  });
});

describe('a row of tokens', () => {
  it('is as long as its text, or padded with a token or with the last one', () => {
    const ours = read(golden.clip.tokenizer);
    const ids = ours.encode('a red car', 77).map(BigInt);
    const rowOf = (input: Partial<TextInput>) =>
      tokenRow(ours.encode('a red car', input.length ?? 77), {
        tensor: 'x',
        mask: 'm',
        length: 77,
        template: '{}',
        ...input,
      });
    const plain = rowOf({ tensor: 'input_ids', mask: 'attention_mask' });
    expect(plain['input_ids']).toEqual({ type: 'int64', dims: [ids.length], data: BigInt64Array.from(ids) });
    expect(plain['attention_mask']?.data).toEqual(new BigInt64Array(ids.length).fill(1n));
    const filled = (pad: number | 'end') => rowOf({ length: 8, pad });
    const rest = 8 - ids.length;
    expect([...(filled(1)['x']?.data ?? [])]).toEqual([...ids, ...Array<bigint>(rest).fill(1n)]);
    expect([...(filled('end')['x']?.data ?? [])]).toEqual([
      ...ids,
      ...Array<bigint | undefined>(rest).fill(ids.at(-1)),
    ]);
    expect([...(filled(1)['m']?.data ?? [])]).toEqual([...ids.map(() => 1n), ...Array<bigint>(rest).fill(0n)]);
  });
});

describe('an invalid tokenizer file', () => {
  const clip = golden.clip.tokenizer;
  const nested = (depth: number): unknown =>
    depth === 0 ? {} : { type: 'Sequence', normalizers: [nested(depth - 1)] };

  it.each<[string, () => unknown, RegExp]>([
    ['no JSON', () => TextTokenizer.read(Buffer.from('{"model":')), /^tokenizer\.json is no JSON: save it anew/],
    ['too large', () => TextTokenizer.read(Buffer.alloc(TOKENIZER_LIMITS.bytes + 1)), /bytes; at most \d+ are read\.$/],
    ['another thing', () => read({ hello: 1 }), /is not what Hugging Face writes: model/],
    ['of a kind that is not known', () => read({ ...clip, model: { type: 'Magic', vocab: {} } }), /model\.type/],
    [
      'with numbers that are none',
      () => read({ ...clip, model: { type: 'BPE', vocab: { a: -1 }, merges: [] } }),
      /model\.vocab is no object of tokens/,
    ],
    [
      'with too many tokens',
      () => TextTokenizer.read(Buffer.from(JSON.stringify(clip)), { ...TOKENIZER_LIMITS, tokens: 500 }),
      /tokens; at most 500 are read\.$/,
    ],
    ['nested for ever', () => read({ ...clip, normalizer: nested(2_000) }), /nested deeper than any tokenizer/],
    [
      'with a pattern that never ends',
      () =>
        read({
          ...clip,
          pre_tokenizer: { type: 'Split', pattern: { Regex: '(a+)+$' }, behavior: 'Removed', invert: true },
        }),
      /has the pattern "\(a\+\)\+\$", which may take for ever/,
    ],
    [
      'that makes text by a pattern that never ends',
      () => read({ ...clip, decoder: { type: 'Replace', pattern: { Regex: '(a+)+$' }, content: '' } }),
      /has the pattern "\(a\+\)\+\$", which may take for ever/,
    ],
    ['with a stage that is not known', () => read({ ...clip, normalizer: { type: 'Magic' } }), /cannot be used: /],
  ])('is refused: %s', (_, action, message) => {
    expect(action).toThrow(message);
    expect(action).toThrow(expect.objectContaining({ code: 'VALIDATION' }));
  });
});
