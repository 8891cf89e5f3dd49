import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { Ct2Model } from './ct2-model.js';
import { GraphBuilder, MICROSOFT } from './graph-builder.js';
import { conversionError } from './tensor.js';
import { inBlocks, inRows, transposedBytes } from './quantise.js';

/** CTranslate2's config.json. */
const Config = z.object({
  alignment_heads: z.array(z.tuple([z.int().nonnegative(), z.int().nonnegative()])).min(1),
  /** Tokens that are never written. */
  suppress_ids: z.array(z.int().nonnegative()),
  /** Tokens that no text begins with: a blank and the end. */
  suppress_ids_begin: z.array(z.int().nonnegative()).min(1),
});

/** Size of an attention head in every Whisper. */
const HEAD = 64;
/** Weights that share a scale in the decoder. */
const BLOCK = 128;
/** One more than the beams of a search, as one may be the end. */
const LIKELIEST = 6;
/** Amount subtracted from the logits of text tokens that are never written. */
const NEVER = -1e4;
const EPSILON = { float: 1e-5 };

/**
 * Converts OpenAI's Whisper from CTranslate2's format to two graphs with 8-bit weights.
 *
 * Encoder: `mel` N×80×F, F twice the positions, → for each decoder layer `cross_k_<l>` N×heads×64×F/2 and `cross_v_<l>`
 * N×heads×F/2×64: keys and values for cross attention.
 *
 * Decoder, for prompt and steps: `tokens` N×S, `rows` R, `past_k_<l>` and `past_v_<l>` N×heads×P×64 (P may be 0), and
 * the encoder's outputs for one window, which all N texts attend to → `logits` N×R×tokens at the positions `rows` of
 * `tokens`, `present_k_<l>` and `present_v_<l>` N×heads×(P+S)×64, and `alignment` 1×A×NS×F/2, the attention weights of
 * the alignment heads. Of the logits of text tokens that may be written, `text_logits` and `text_tokens` N×R×6 are the
 * largest, and `text_sum` N×R×1 is the log-sum-exp of all; `other_logits` are those of the tokens from the end of text
 * on.
 * @throws AditError when the files hold no Whisper.
 */
export async function convertWhisper(
  parts: readonly string[],
  configFile: string,
): Promise<{ encoder: Uint8Array; decoder: Uint8Array; layers: number; heads: number }> {
  const files = await Promise.all(parts.map((part) => readFile(part)));
  const config = Config.parse(JSON.parse(await readFile(configFile, 'utf8')));
  const model = Ct2Model.read(Buffer.concat(files));
  if (model.spec !== 'WhisperSpec') throw conversionError(`${model.spec} is not Whisper`);
  // The end is the first of the tokens that are no text.
  const text = { end: Math.max(...config.suppress_ids_begin), never: config.suppress_ids };
  const whisper = new Whisper(model, config.alignment_heads, text);
  const { decoderLayers: layers, heads } = whisper;
  return { encoder: whisper.encoder(), decoder: whisper.decoder(), layers, heads };
}

/** x [.., K] · weights [M, K], and the bias. */
type Product = (graph: GraphBuilder, x: string, weights: Float32Array, size: { M: number; K: number }) => string;

class Whisper {
  private readonly width: number;
  readonly heads: number;
  private readonly vocabulary: number;
  private readonly encoderLayers: number;
  readonly decoderLayers: number;

  constructor(
    private readonly model: Ct2Model,
    private readonly alignmentHeads: readonly (readonly [number, number])[],
    private readonly text: { end: number; never: readonly number[] },
  ) {
    [this.vocabulary, this.width] = model.dims('decoder/embeddings/weight') as [number, number];
    this.heads = model.scalar('decoder/num_heads');
    if (this.width / this.heads !== HEAD)
      throw conversionError(`heads of ${this.width / this.heads} are not Whisper's`);
    const layers = (part: string): number => {
      let count = 0;
      while (model.has(`${part}/layer_${count}/ffn/linear_0/weight`)) count += 1;
      return count;
    };
    this.encoderLayers = layers('encoder');
    this.decoderLayers = layers('decoder');
  }

  encoder(): Uint8Array {
    const graph = new GraphBuilder({ opset: 20, microsoft: true });
    const { model, width, heads } = this;
    const bands = model.dims('encoder/conv1/weight')[1] as number;
    let x = graph.input('mel', ['N', bands, 'F']);
    for (const [layer, stride] of [
      [1, 1],
      [2, 2],
    ] as const) {
      const weights = `encoder/conv${layer}/weight`;
      const kernel = graph.floats(model.floats(weights), model.dims(weights));
      const bias = graph.floats(model.floats(`encoder/conv${layer}/bias`), [width]);
      x = graph.node('Conv', [x, kernel, bias], { kernel_shape: [3], pads: [1, 1], strides: [stride] });
      x = graph.node('Gelu', [x]);
    }
    x = graph.node('Transpose', [x], { perm: [0, 2, 1] });
    const encodings = 'encoder/position_encodings/encodings';
    const table = graph.floats(model.floats(encodings), model.dims(encodings));
    const length = graph.node('Shape', [x], { start: 1, end: 2 });
    x = graph.node('Add', [x, graph.node('Slice', [table, graph.integers([0]), length, graph.integers([0])])]);
    for (let layer = 0; layer < this.encoderLayers; layer += 1) {
      const scope = `encoder/layer_${layer}`;
      const normed = this.norm(graph, x, `${scope}/self_attention/layer_norm`);
      const [q, k, v] = this.queryKeyValue(graph, normed, `${scope}/self_attention/linear_0`, byRow);
      const seen = graph.node(
        'MultiHeadAttention',
        [q, k, v],
        { num_heads: heads, scale: { float: 1 } },
        { domain: MICROSOFT },
      );
      x = graph.node('Add', [x, this.linear(graph, seen, `${scope}/self_attention/linear_1`, byRow)]);
      x = this.feedForward(graph, x, `${scope}/ffn`, byRow);
    }
    x = this.norm(graph, x, 'encoder/layer_norm');
    for (let layer = 0; layer < this.decoderLayers; layer += 1) {
      const both = this.linear(graph, x, `decoder/layer_${layer}/attention/linear_1`, byRow);
      const [k, v] = graph.outputsOf('Split', [both], { axis: -1, num_outputs: 2 }, 2) as [string, string];
      graph.output(`cross_k_${layer}`, this.intoHeads(graph, k, true), ['N', heads, HEAD, 'T']);
      graph.output(`cross_v_${layer}`, this.intoHeads(graph, v), ['N', heads, 'T', HEAD]);
    }
    return graph.toModel('whisper_encoder');
  }

  decoder(): Uint8Array {
    const graph = new GraphBuilder({ opset: 20, microsoft: true });
    const { model, heads } = this;
    const tokens = graph.input('tokens', ['N', 'S'], 'int64');
    const rows = graph.input('rows', ['R'], 'int64');
    const embedding = this.embedding(graph);
    let x = embedding.of(tokens);
    const layers = Array.from({ length: this.decoderLayers }, (_, layer) => ({
      pastK: graph.input(`past_k_${layer}`, ['N', heads, 'P', HEAD]),
      pastV: graph.input(`past_v_${layer}`, ['N', heads, 'P', HEAD]),
      crossK: graph.input(`cross_k_${layer}`, [1, heads, HEAD, 'T']),
      crossV: graph.input(`cross_v_${layer}`, [1, heads, 'T', HEAD]),
    }));
    const before = graph.node('Shape', [(layers[0] as { pastK: string }).pastK], { start: 2, end: 3 });
    const after = graph.node('Add', [before, graph.node('Shape', [tokens], { start: 1, end: 2 })]);
    const encodings = 'decoder/position_encodings/encodings';
    const table = graph.floats(model.floats(encodings), model.dims(encodings));
    x = graph.node('Add', [x, graph.node('Slice', [table, before, after, graph.integers([0])])]);
    const mask = causalMask(graph, before, after);
    const aligned: string[] = [];
    for (const [layer, { pastK, pastV, crossK, crossV }] of layers.entries()) {
      const scope = `decoder/layer_${layer}`;
      const normed = this.norm(graph, x, `${scope}/self_attention/layer_norm`);
      const [q, ownK, ownV] = this.queryKeyValue(graph, normed, `${scope}/self_attention/linear_0`, byBlock);
      // Named individually, since otherwise each step would copy all previous tokens' state.
      const grown = (past: string, of: string, name: string): string =>
        graph.node('Concat', [past, this.intoHeads(graph, of)], { axis: 2 }, { name });
      const keys = grown(pastK, ownK, `present_k_${layer}`);
      const values = grown(pastV, ownV, `present_v_${layer}`);
      const turned = graph.node('Transpose', [keys], { perm: [0, 1, 3, 2] });
      const scores = graph.node('Add', [graph.node('MatMul', [this.intoHeads(graph, q), turned]), mask]);
      const shares = graph.node('Softmax', [scores], { axis: -1 });
      const own = this.outOfHeads(graph, graph.node('MatMul', [shares, values]));
      x = graph.node('Add', [x, this.linear(graph, own, `${scope}/self_attention/linear_1`, byBlock)]);
      graph.output(`present_k_${layer}`, keys, ['N', heads, 'PS', HEAD]);
      graph.output(`present_v_${layer}`, values, ['N', heads, 'PS', HEAD]);

      const asked = this.norm(graph, x, `${scope}/attention/layer_norm`);
      const asking = this.linear(graph, asked, `${scope}/attention/linear_0`, byBlock, 1 / 8);
      // Computed text by text within each head: the encoder's part is in the cache from the first text on, and the
      // product of one row reads it in place, while that of several copies it first.
      const apart = graph.node('Reshape', [asking, graph.integers([0, 0, heads, HEAD])]);
      const query = graph.node('Transpose', [apart], { perm: [2, 0, 1, 3] });
      const k = graph.node('Reshape', [crossK, graph.integers([heads, 1, HEAD, -1])]);
      const v = graph.node('Reshape', [crossV, graph.integers([heads, 1, -1, HEAD])]);
      const attention = graph.node('Softmax', [graph.node('MatMul', [query, k])], { axis: -1 });
      const clocks = this.alignmentHeads.filter(([of]) => of === layer).map(([, head]) => head);
      if (clocks.length > 0) aligned.push(graph.node('Gather', [attention, graph.integers(clocks)], { axis: 0 }));
      const together = graph.node('Transpose', [graph.node('MatMul', [attention, v])], { perm: [1, 2, 0, 3] });
      const heard = graph.node('Reshape', [together, graph.integers([0, 0, this.width])]);
      x = graph.node('Add', [x, this.linear(graph, heard, `${scope}/attention/linear_2`, byBlock)]);
      x = this.feedForward(graph, x, `${scope}/ffn`, byBlock);
    }
    const picked = graph.node('Gather', [x, rows], { axis: 1 });
    const logits = embedding.project(this.norm(graph, picked, 'decoder/layer_norm'), 'logits');
    graph.output('logits', logits, ['N', 'R', this.vocabulary]);
    this.summary(graph, logits);
    this.alignment(graph, aligned);
    return graph.toModel('whisper_decoder');
  }

  /** Outputs the attention of the heads that follow the clock. */
  private alignment(graph: GraphBuilder, aligned: string[]): void {
    const count = this.alignmentHeads.length;
    const alignment = graph.node('Concat', aligned, { axis: 0 });
    const length = graph.node('Shape', [alignment], { start: 3, end: 4 });
    const shape = graph.node('Concat', [graph.integers([1, count, -1]), length], { axis: 0 });
    const rowByRow = graph.node('Reshape', [alignment, shape]);
    graph.output('alignment', rowByRow, [1, count, 'NS', 'T']);
  }

  /** Summarises the logits: only the likeliest text tokens, and all others. */
  private summary(graph: GraphBuilder, logits: string): void {
    const { end } = this.text;
    const last = graph.integers([-1]);
    const part = (from: number, to: number): string =>
      graph.node('Slice', [logits, graph.integers([from]), graph.integers([to]), last]);
    const text = part(0, end);
    const [values, tokens] = graph.outputsOf('TopK', [text, graph.integers([LIKELIEST])], { axis: -1 }, 2) as [
      string,
      string,
    ];
    // Offset of the logits from log probabilities; ReduceLogSumExp takes many times as long.
    const one = (x: string): string => graph.node('Slice', [x, graph.integers([0]), graph.integers([1]), last]);
    const top = graph.node('GatherElements', [graph.node('LogSoftmax', [text], { axis: -1 }), one(tokens)], {
      axis: -1,
    });
    graph.output('text_logits', values, ['N', 'R', LIKELIEST]);
    graph.output('text_tokens', tokens, ['N', 'R', LIKELIEST], 'int64');
    graph.output('text_sum', graph.node('Sub', [one(values), top]), ['N', 'R', 1]);
    graph.output('other_logits', part(end, this.vocabulary), ['N', 'R', this.vocabulary - end]);
  }

  /** Token embeddings, which also project the output. */
  private embedding(graph: GraphBuilder): {
    of: (tokens: string) => string;
    project: (x: string, name: string) => string;
  } {
    const { width: K, vocabulary: N } = this;
    const { data, scales } = inBlocks(this.model.floats('decoder/embeddings/weight'), BLOCK);
    const table = graph.quantised(data, [N, K / BLOCK, BLOCK]);
    const factors = graph.floats(scales, [scales.length]);
    const { end, never } = this.text;
    const bias = new Float32Array(N);
    for (const token of never) if (token < end) bias[token] = NEVER;
    const offsets = graph.floats(bias, [N]);
    return {
      of: (tokens) => {
        const rows = graph.node('Cast', [graph.node('Gather', [table, tokens], { axis: 0 })], { to: FLOAT });
        const each = graph.node('Reshape', [factors, graph.integers([N, K / BLOCK, 1])]);
        const scale = graph.node('Gather', [each, tokens], { axis: 0 });
        const centred = graph.node('Sub', [rows, graph.floats([128])]);
        return graph.node('Reshape', [graph.node('Mul', [centred, scale]), graph.integers([0, 0, K])]);
      },
      project: (x, name) =>
        graph.node('MatMulNBits', [x, table, factors, '', '', offsets], blockSizes(N, K), { domain: MICROSOFT, name }),
    };
  }

  private norm(graph: GraphBuilder, x: string, scope: string): string {
    const [gamma, beta] = ['gamma', 'beta'].map((name) =>
      graph.floats(this.model.floats(`${scope}/${name}`), [this.width]),
    );
    return graph.node('LayerNormalization', [x, gamma as string, beta as string], { axis: -1, epsilon: EPSILON });
  }

  private linear(graph: GraphBuilder, x: string, scope: string, product: Product, factor = 1): string {
    const [M, K] = this.model.dims(`${scope}/weight`) as [number, number];
    const scaled = (name: string): Float32Array => this.model.floats(name).map((value) => value * factor);
    const y = product(graph, x, scaled(`${scope}/weight`), { M, K });
    return this.model.has(`${scope}/bias`) ? graph.node('Add', [y, graph.floats(scaled(`${scope}/bias`), [M])]) : y;
  }

  private feedForward(graph: GraphBuilder, x: string, scope: string, product: Product): string {
    const normed = this.norm(graph, x, `${scope}/layer_norm`);
    const inner = graph.node('Gelu', [this.linear(graph, normed, `${scope}/linear_0`, product)]);
    return graph.node('Add', [x, this.linear(graph, inner, `${scope}/linear_1`, product)]);
  }

  /**
   * One product for all three. The attention's factor 1/8 is part of q's weights: a power of two, so nothing is lost.
   */
  private queryKeyValue(graph: GraphBuilder, x: string, scope: string, product: Product): [string, string, string] {
    const { width } = this;
    const weights = this.model.floats(`${scope}/weight`).map((value, i) => (i < width * width ? value / 8 : value));
    const bias = this.model.floats(`${scope}/bias`).map((value, i) => (i < width ? value / 8 : value));
    const y = product(graph, x, weights, { M: 3 * width, K: width });
    const sum = graph.node('Add', [y, graph.floats(bias, [3 * width])]);
    return graph.outputsOf('Split', [sum], { axis: -1, num_outputs: 3 }, 3) as [string, string, string];
  }

  /** N×S×width to N×heads×S×64, or to N×heads×64×S. */
  private intoHeads(graph: GraphBuilder, x: string, turned = false): string {
    const apart = graph.node('Reshape', [x, graph.integers([0, 0, this.heads, HEAD])]);
    return graph.node('Transpose', [apart], { perm: turned ? [0, 2, 3, 1] : [0, 2, 1, 3] });
  }

  private outOfHeads(graph: GraphBuilder, x: string): string {
    const together = graph.node('Transpose', [x], { perm: [0, 2, 1, 3] });
    return graph.node('Reshape', [together, graph.integers([0, 0, this.width])]);
  }
}

const FLOAT = 1;

function blockSizes(N: number, K: number): Record<string, number> {
  return { K, N, bits: 8, block_size: BLOCK, accuracy_level: 4 };
}

/**
 * 8-bit products with dynamically quantised inputs. The operator has one scale per tensor, so each row is normalised to
 * a maximum of 1 before, and scaled back after: half the error.
 */
function byRow(graph: GraphBuilder, x: string, weights: Float32Array, { M, K }: { M: number; K: number }): string {
  const { data, scales } = inRows(weights, K);
  const table = graph.quantised(transposedBytes(data, M, K), [K, M]);
  const largest = graph.node('ReduceMax', [graph.node('Abs', [x]), graph.integers([-1])], { keepdims: 1 });
  const even = graph.node('Div', [x, largest]);
  const product = graph.node(
    'DynamicQuantizeMatMul',
    [even, table, graph.floats(scales, [M])],
    {},
    { domain: MICROSOFT },
  );
  return graph.node('Mul', [product, largest]);
}

/** 8-bit weights with a scale per block: better where one row at a time is computed. */
function byBlock(graph: GraphBuilder, x: string, weights: Float32Array, { M, K }: { M: number; K: number }): string {
  const { data, scales } = inBlocks(weights, BLOCK);
  const table = graph.quantised(data, [M, K / BLOCK, BLOCK]);
  const factors = graph.floats(scales, [scales.length]);
  return graph.node('MatMulNBits', [x, table, factors], blockSizes(M, K), { domain: MICROSOFT });
}

/**
 * Returns 0 where a token may attend to another, a large negative number elsewhere: positions `before` to `after` by 0
 * to `after`.
 */
function causalMask(graph: GraphBuilder, before: string, after: string): string {
  const scalar = (value: string): string => graph.node('Squeeze', [value, graph.integers([0])]);
  const one = scalar(graph.integers([1]));
  const column = graph.node('Unsqueeze', [
    graph.node('Range', [scalar(before), scalar(after), one]),
    graph.integers([1]),
  ]);
  const all = graph.node('Range', [scalar(graph.integers([0])), scalar(after), one]);
  const seen = graph.node('LessOrEqual', [all, column]);
  return graph.node('Where', [seen, graph.floats([0]), graph.floats([-1e9])]);
}
