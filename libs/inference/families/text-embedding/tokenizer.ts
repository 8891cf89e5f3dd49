import { AditError, type TextInput } from '@adit/contracts';
import { Tokenizer as HuggingFace } from '@huggingface/tokenizers';
import { z } from 'zod';
import type { Row } from '../../session.js';

/** Larger than the tokenizer of any public model of pictures and text; the largest has 256,000 tokens in 34 MB. */
export const TOKENIZER_LIMITS = { bytes: 48 << 20, tokens: 400_000, depth: 32 };

/**
 * Tests that a pattern takes at most quadratic time: it has no groups, and at most one part of each alternative may
 * repeat. Those of CLIP and SigLIP comply; a malicious one could block a process for hours (ReDoS).
 */
function isQuick(pattern: string): boolean {
  const bare = pattern.replace(/\\[pP]\{\w+\}|\\./gs, 'x').replace(/\[[^\]]*\]/g, 'x');
  return !bare.includes('(') && bare.split('|').every((alternative) => (alternative.match(/[+*{]/g) ?? []).length <= 1);
}

/** Checked by hand: zod takes ten seconds for the hundred thousands of entries of real files. */
const Vocabulary = z.custom<Record<string, number>>(
  (value) => isRecord(value) && Object.values(value).every((id) => Number.isSafeInteger(id) && Number(id) >= 0),
  'is no object of tokens and their numbers',
);
const Pieces = z.custom<[string, number][]>(
  (value) => Array.isArray(value) && value.every((one) => Array.isArray(one) && isPair(one, 'string', 'number')),
  'is no list of pieces and their scores',
);
const Merges = z.custom<(string | [string, string])[]>(
  (value) =>
    Array.isArray(value) &&
    value.every((one) => typeof one === 'string' || (Array.isArray(one) && isPair(one, 'string', 'string'))),
  'is no list of pairs',
);
const TokenizerFile = z.looseObject({
  added_tokens: z
    .array(z.looseObject({ id: z.int().nonnegative(), content: z.string().min(1).max(255) }))
    .max(10_000)
    .default([]),
  normalizer: z.unknown().optional(),
  pre_tokenizer: z.unknown().optional(),
  post_processor: z.unknown().optional(),
  decoder: z.unknown().optional(),
  model: z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('BPE'), vocab: Vocabulary, merges: Merges }),
    z.looseObject({ type: z.literal('Unigram'), vocab: Pieces }),
    z.looseObject({ type: z.literal('WordPiece'), vocab: Vocabulary }),
  ]),
});

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPair([first, second, ...more]: readonly unknown[], one: string, other: string): boolean {
  return typeof first === one && typeof second === other && more.length === 0;
}

/** The types of the library cannot be resolved here. */
const Encoded = z.object({ ids: z.array(z.int().nonnegative()) });

/** Tokenizer of Hugging Face's library for a `tokenizer.json`. */
export class TextTokenizer {
  private constructor(private readonly tokenizer: HuggingFace) {}

  /** Throws VALIDATION, with advice, for an invalid or too large file. */
  static read(file: Buffer, limits = TOKENIZER_LIMITS): TextTokenizer {
    if (file.length > limits.bytes) {
      throw unfit(`has ${file.length} bytes; at most ${limits.bytes} are read`);
    }
    let value: unknown;
    try {
      value = JSON.parse(file.toString('utf8'));
    } catch {
      throw unfit('is no JSON: save it anew with save_pretrained() of a fast tokenizer');
    }
    const parsed = TokenizerFile.safeParse(value);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw unfit(`is not what Hugging Face writes: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
    }
    const { model, ...stages } = parsed.data;
    const size = Array.isArray(model.vocab) ? model.vocab.length : Object.keys(model.vocab).length;
    if (size > limits.tokens) throw unfit(`has ${size} tokens; at most ${limits.tokens} are read`);
    refusePatterns([stages.normalizer, stages.pre_tokenizer, stages.post_processor, stages.decoder]);
    try {
      return new TextTokenizer(new HuggingFace(parsed.data, {}));
    } catch (error) {
      throw unfit(`cannot be used: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Returns the tokens of a text with its start and end tokens, at most `length`; the text is truncated to fit. */
  encode(text: string, length: number): number[] {
    const all = this.ids(text, true);
    if (all.length <= length) return all;
    const plain = this.ids(text, false);
    const before = all.findIndex((_, at) => plain.every((id, index) => all[at + index] === id));
    const behind = all.slice(before + plain.length);
    return [...all.slice(0, length - behind.length), ...behind];
  }

  private ids(text: string, whole: boolean): number[] {
    return Encoded.parse(this.tokenizer.encode(text, { add_special_tokens: whole })).ids;
  }

  /**
   * Returns the text of tokens, without start, end and padding tokens. Throws VALIDATION for tokens that it cannot
   * decode.
   */
  text(tokens: readonly number[]): string {
    if (tokens.length === 0) return '';
    const options = { skip_special_tokens: true, clean_up_tokenization_spaces: false };
    try {
      return z.string().parse(this.tokenizer.decode([...tokens], options));
    } catch (error) {
      throw unfit(`makes no text of what its model writes: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** Returns the tokens of a text as a row of the network's inputs. */
export function tokenRow(ids: readonly number[], { tensor, mask, length, pad }: TextInput): Row {
  const filler = pad === 'end' ? (ids.at(-1) ?? 0) : pad;
  const count = filler === undefined ? ids.length : length;
  const at = (values: readonly number[], rest: number) => {
    const data = BigInt64Array.from({ length: count }, (_, index) => BigInt(values[index] ?? rest));
    return { type: 'int64', dims: [count], data } as const;
  };
  const masked = mask === undefined ? {} : { [mask]: at(Array<number>(ids.length).fill(1), 0) };
  return { [tensor]: at(ids, filler ?? 0), ...masked };
}

/** Throws VALIDATION for a slow pattern, and for stages nested too deeply. */
function refusePatterns(stages: readonly unknown[]): void {
  const open = stages.map((value) => ({ value, depth: 0 }));
  let seen = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null) continue;
    seen += 1;
    if (depth > TOKENIZER_LIMITS.depth || seen > 100_000) throw unfit('is nested deeper than any tokenizer');
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'Regex' && !(typeof inner === 'string' && isQuick(inner))) {
        const shown = JSON.stringify(inner).slice(0, 80);
        throw unfit(
          `has the pattern ${shown}, which may take for ever: patterns have no groups, and repeat one part at most`,
        );
      }
      open.push({ value: inner, depth: depth + 1 });
    }
  }
}

function unfit(what: string): AditError {
  return new AditError('VALIDATION', `tokenizer.json ${what}.`);
}
