import { AditError, type TextOutput } from '@adit/contracts';
import {
  floatsOf,
  outputNamed,
  runOnPicture,
  toFloat16,
  type FloatTensor,
  type HeldTensor,
  type NetworkSession,
  type RgbImage,
  type Sequence,
  type Tensor,
} from '@adit/inference';
import { decoderLayout, type DecoderLayout } from '@adit/inference/families/text-decoder/layout';
import { TOKENIZERS } from '@adit/inference/families/text-embedding/tokenizer-thread';
import { searchBeams } from '../writing/beams.js';
import { likeliest } from '../writing/candidates.js';

export interface Captioner {
  encoder: NetworkSession;
  decoder: NetworkSession;
  layout: DecoderLayout;
  writing: TextOutput;
}

/** Longest sentence in characters, above any exporter's token limit. */
const MAX_CHARACTERS = 1_000;

/** Throws VALIDATION when the second network is no usable text decoder. */
export async function captionerOf(encoder: NetworkSession, decoder: NetworkSession): Promise<Captioner> {
  const { inputs, outputs } = await decoder.signature();
  const values = (shapes: typeof inputs) => shapes.map(({ name, type, dims }) => ({ name, type, axes: dims }));
  const layout = decoderLayout({ inputs: values(inputs), outputs: values(outputs) });
  const { writing } = decoder.manifest;
  if (layout === null || typeof layout === 'string' || writing === undefined) {
    const reason =
      typeof layout === 'string' ? layout : 'its inputs and outputs, or its model.yaml, are not those of one';
    throw new AditError('VALIDATION', `${decoder.name} cannot be used as a decoder of text: ${reason}.`);
  }
  return { encoder, decoder, layout, writing };
}

/**
 * Describes a picture in a sentence by greedy decoding, as `generate()` of Hugging Face's library by default. Null for
 * an empty description. Throws VALIDATION for models that do not belong together.
 */
export async function writeCaption(
  captioner: Captioner,
  picture: RgbImage,
  signal: AbortSignal,
): Promise<{ text: string; confidence: number } | null> {
  const { encoder, decoder, writing } = captioner;
  const seen = await runOnPicture(encoder, picture, 'whole');
  const hidden = seen['last_hidden_state'] ?? Object.values(seen)[0];
  if (hidden?.dims.length !== 2) {
    throw new AditError(
      'VALIDATION',
      `${encoder.name} gives no hidden states of a picture: it is no encoder for captions.`,
    );
  }
  const steps = new DecoderSteps(captioner, decoder.sequence(), hidden);
  try {
    const way = await searchBeams({
      beams: 1,
      next: async ([way]) => {
        signal.throwIfAborted();
        const logits = await steps.next([writing.start, ...(way?.tokens ?? [])]);
        // All end tokens are mapped to one.
        return [likeliest(logits, 1).map((one) => (writing.end.includes(one.token) ? { ...one, token: -1 } : one))];
      },
      end: -1,
      isOver: () => false,
      most: writing.length - 1,
    });
    const text = (await TOKENIZERS.decode(decoder, way.tokens)).replace(/\s+/g, ' ').trim().slice(0, MAX_CHARACTERS);
    const ended = way.tokens.length < writing.length - 1 ? 1 : 0;
    return text === '' ? null : { text, confidence: Math.exp(way.sum / (way.tokens.length + ended)) };
  } finally {
    await steps.end();
  }
}

/** Decoding steps of one text: each takes all tokens so far, and returns the logits of the next. */
class DecoderSteps {
  private cache: Record<string, HeldTensor> | null = null;

  constructor(
    private readonly captioner: Captioner,
    private readonly sequence: Sequence,
    private readonly hidden: FloatTensor,
  ) {}

  async next(tokens: readonly number[]): Promise<Float32Array> {
    const { decoder, layout } = this.captioner;
    const { cache } = this;
    const fed = cache === null ? tokens : tokens.slice(-1);
    // The picture's cache stays as the first step made it; later steps do not return it.
    const grown = layout.cache.filter(({ of }) => cache === null || of === 'text');
    const { wanted, kept } = await this.sequence
      .run(
        decoder,
        { ...this.inputs(tokens.length, fed), ...(cache ?? nothingYet(layout)) },
        { wanted: [layout.logits], keep: grown.map(({ present }) => present) },
      )
      .catch((error: unknown) => {
        throw notTogether(this.captioner, error);
      });
    if (grown.length > 0) {
      const next: Record<string, HeldTensor> = { ...cache };
      const old: HeldTensor[] = [];
      for (const { past, present } of grown) {
        const [before, after] = [next[past], kept[present]];
        if (before !== undefined) old.push(before);
        if (after !== undefined) next[past] = after;
      }
      this.cache = next;
      await this.sequence.drop(old);
    }
    const { data, dims } = outputNamed(floatsOf(wanted), layout.logits);
    const logits = data.slice(data.length - (dims.at(-1) ?? 0));
    if (logits.some(Number.isNaN)) {
      throw new AditError(
        'VALIDATION',
        `The model ${decoder.name} answers with NaN: its export or its training went wrong.`,
      );
    }
    return logits;
  }

  end(): Promise<void> {
    return this.sequence.end();
  }

  /** `length` is that of the text with its cache. */
  private inputs(length: number, fed: readonly number[]): Record<string, Tensor> {
    const { tokens, encoded, encodedType, masks, positions, branch } = this.captioner.layout;
    const { data, dims } = this.hidden;
    const given: Record<string, Tensor> = {
      [tokens]: integers(fed),
      [encoded]:
        encodedType === 'float16'
          ? { type: 'float16', data: toFloat16(data), dims: [1, ...dims] }
          : { type: 'float32', data, dims: [1, ...dims] },
    };
    if (masks.text !== null) given[masks.text] = integers(Array<number>(length).fill(1));
    if (masks.picture !== null) given[masks.picture] = integers(Array<number>(dims[0] ?? 0).fill(1));
    if (positions !== null) given[positions] = integers(fed.map((_, index) => length - fed.length + index));
    if (branch !== null) given[branch] = { type: 'bool', data: Uint8Array.of(this.cache === null ? 0 : 1), dims: [1] };
    return given;
  }
}

/** Makes a row of int64 values. */
function integers(values: readonly number[]): Tensor {
  return { type: 'int64', data: BigInt64Array.from(values, BigInt), dims: [1, values.length] };
}

/** Returns the empty cache before the first token. */
function nothingYet({ cache }: DecoderLayout): Record<string, Tensor> {
  return Object.fromEntries(
    cache.map(({ past, type, heads, width }): [string, Tensor] => {
      const dims = [1, heads, 0, width];
      return [
        past,
        type === 'float16' ? { type, data: new Uint16Array(0), dims } : { type, data: new Float32Array(0), dims },
      ];
    }),
  );
}

/** ONNX Runtime's reason does not help a user who combined an encoder and a decoder of two exports. */
function notTogether({ encoder, decoder }: Captioner, error: unknown): AditError {
  const problem = AditError.from(error);
  if (problem.code !== 'INTERNAL') return problem;
  return new AditError(
    'VALIDATION',
    `${decoder.name} cannot describe what ${encoder.name} sees; add both from one export. ${problem.message}`,
    { cause: error },
  );
}
