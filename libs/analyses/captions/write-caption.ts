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

/** Of a sentence; no exporter's limit on tokens makes one as long. */
const MOST_CHARACTERS = 1_000;

/** Throws VALIDATION when the second is no decoder of text that can be used. */
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
 * What a picture shows in a sentence: the likeliest token each time, as `generate()` of Hugging Face's library does by itself. Null
 * where the model says nothing. Throws VALIDATION for models that do not belong together.
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
        // Whichever of them ends the text, one end is followed.
        return [likeliest(logits, 1).map((one) => (writing.end.includes(one.token) ? { ...one, token: -1 } : one))];
      },
      end: -1,
      isOver: () => false,
      most: writing.length - 1,
    });
    const text = (await TOKENIZERS.decode(decoder, way.tokens)).replace(/\s+/g, ' ').trim().slice(0, MOST_CHARACTERS);
    const ended = way.tokens.length < writing.length - 1 ? 1 : 0;
    return text === '' ? null : { text, confidence: Math.exp(way.sum / (way.tokens.length + ended)) };
  } finally {
    await steps.end();
  }
}

/** The steps of one text: each is told all tokens so far, and gives the logits of the next. */
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
    const told = cache === null ? tokens : tokens.slice(-1);
    // What it remembers of the picture stays what the first step made it; later ones answer nothing in its place.
    const grown = layout.cache.filter(({ of }) => cache === null || of === 'text');
    const { wanted, kept } = await this.sequence
      .run(
        decoder,
        { ...this.inputs(tokens.length, told), ...(cache ?? nothingYet(layout)) },
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

  /** `length`: of the text with its cache. */
  private inputs(length: number, told: readonly number[]): Record<string, Tensor> {
    const { tokens, encoded, encodedType, masks, positions, branch } = this.captioner.layout;
    const { data, dims } = this.hidden;
    const given: Record<string, Tensor> = {
      [tokens]: integers(told),
      [encoded]:
        encodedType === 'float16'
          ? { type: 'float16', data: toFloat16(data), dims: [1, ...dims] }
          : { type: 'float32', data, dims: [1, ...dims] },
    };
    if (masks.text !== null) given[masks.text] = integers(Array<number>(length).fill(1));
    if (masks.picture !== null) given[masks.picture] = integers(Array<number>(dims[0] ?? 0).fill(1));
    if (positions !== null) given[positions] = integers(told.map((_, index) => length - told.length + index));
    if (branch !== null) given[branch] = { type: 'bool', data: Uint8Array.of(this.cache === null ? 0 : 1), dims: [1] };
    return given;
  }
}

/** A row of them. */
function integers(values: readonly number[]): Tensor {
  return { type: 'int64', data: BigInt64Array.from(values, BigInt), dims: [1, values.length] };
}

/** The cache before the first token. */
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

/** ONNX Runtime's reason says little to who added an encoder and a decoder of two exports. */
function notTogether({ encoder, decoder }: Captioner, error: unknown): AditError {
  const problem = AditError.from(error);
  if (problem.code !== 'INTERNAL') return problem;
  return new AditError(
    'VALIDATION',
    `${decoder.name} cannot describe what ${encoder.name} sees; add both from one export. ${problem.message}`,
    { cause: error },
  );
}
