import type { Axis } from '../graph.js';

/** Input or output of a graph; an axis that is neither a positive number nor text is open. */
interface Value {
  name: string;
  type: string | null;
  axes: readonly Axis[] | null;
}

/** Cache tensors of one layer: the output of one step is the input of the next. */
export interface CacheEntry {
  past: string;
  present: string;
  type: 'float32' | 'float16';
  heads: number;
  width: number;
  /** Cache of the tokens so far, or of the picture, which the first step fixes. */
  of: 'text' | 'picture';
}

/** Tensor names of a text decoder as Hugging Face's Optimum exports it. */
export interface DecoderLayout {
  tokens: string;
  encoded: string;
  encodedType: 'float32' | 'float16';
  /** Masks of valid tokens and picture parts: all of them. */
  masks: { text: string | null; picture: string | null };
  positions: string | null;
  /** Flag of a merged graph that tells whether there is a cache yet. */
  branch: string | null;
  logits: string;
  cache: CacheEntry[];
}

const PAST = /^past_key_values\.(\d+\.(?:(decoder|encoder)\.)?(?:key|value))$/;
const OTHERS = ['attention_mask', 'encoder_attention_mask', 'position_ids', 'use_cache_branch'];

/**
 * Returns the layout of a decoder's steps; a sentence for a decoder that cannot be used alone, null for another graph.
 * Its inputs are tokens and encoder states, its outputs logits.
 */
export function decoderLayout(graph: {
  inputs: readonly Value[];
  outputs: readonly Value[];
}): DecoderLayout | string | null {
  const input = (name: string) => graph.inputs.find((each) => each.name === name);
  const named = (name: string): string | null => input(name)?.name ?? null;
  const pasts = graph.inputs.filter(({ name }) => PAST.test(name));
  if (input('input_ids')?.type !== 'int64' || !graph.outputs.some(({ name }) => name === 'logits')) return null;
  const encoded = input('encoder_hidden_states');
  if (encoded === undefined) {
    const continues = pasts.some(({ name }) => name.includes('.encoder.'));
    return continues
      ? 'a decoder that goes on but cannot begin: take decoder_model_merged.onnx, or decoder_model.onnx'
      : null;
  }
  const known = new Set(['input_ids', 'encoder_hidden_states', ...OTHERS, ...pasts.map(({ name }) => name)]);
  const other = graph.inputs.find(({ name }) => !known.has(name));
  if (other !== undefined) return `a decoder with an input ${other.name}, which nothing here knows`;
  const cache: CacheEntry[] = [];
  for (const { name, type, axes } of pasts) {
    const [, place = '', half] = PAST.exec(name) ?? [];
    const [, heads, , width] = axes ?? [];
    const present = `present.${place}`;
    if (
      !isFloat(type) ||
      !isLength(heads) ||
      !isLength(width) ||
      !graph.outputs.some((output) => output.name === present)
    ) {
      return `a decoder whose ${name} has no ${present}, or no fixed number of heads and their width`;
    }
    cache.push({ past: name, present, type, heads, width, of: half === 'encoder' ? 'picture' : 'text' });
  }
  if (!isFloat(encoded.type)) return `a decoder whose encoder_hidden_states are ${encoded.type ?? 'no tensor'}`;
  return {
    tokens: 'input_ids',
    encoded: encoded.name,
    encodedType: encoded.type,
    masks: { text: named('attention_mask'), picture: named('encoder_attention_mask') },
    positions: named('position_ids'),
    branch: named('use_cache_branch'),
    logits: 'logits',
    cache,
  };
}

function isFloat(type: string | null): type is 'float32' | 'float16' {
  return type === 'float32' || type === 'float16';
}

function isLength(axis: Axis | undefined): axis is number {
  return typeof axis === 'number' && axis > 0;
}
