import { deflateSync } from 'node:zlib';
import { AditError, elementAt, float32At } from '@adit/contracts';
import {
  floatTensor,
  outputNamed,
  type HeldTensor,
  type NetworkSession,
  type Row,
  type Sequence,
  type Tensor,
} from '@adit/inference';
import { startsOfRows, type Attention } from './alignment.js';
import { searchBeams, type Way } from '../writing/beams.js';
import { logSumExp, type Candidate } from '../writing/candidates.js';
import { BANDS, logMel, WINDOW_SECONDS } from './mel.js';
import { MAX_PROMPT_TOKENS } from './prompt.js';
import { applyRules, drawn, followingOf, likeliest, randomFrom, type Following } from './rules.js';
import { TICK, type Tokenizer } from './tokenizer.js';

const HEAD = 64;
const SAMPLES_A_FRAME = 320;
/** As many as OpenAI's. */
const BEAMS = 5;
/**
 * Texts less than a seventh as likely as the likeliest of their length are dropped: they hardly ever win, and cost as
 * much.
 */
const WITHIN = 2;
/** Limit of text and time tokens per window; with the prompt they are 448 at most. */
const MAX_TOKENS = 224;
/** A segment that closes this close to the end of the sound is the last one; any further text would be invented. */
const LAST_SECONDS = 0.2;

export interface Networks {
  encoder: NetworkSession;
  decoder: NetworkSession;
  tokens: Tokenizer;
}

type Cache = Record<string, HeldTensor>;

/** Transcribed tokens of one window. */
export interface Written {
  /** Text and time tokens. */
  tokens: readonly number[];
  /** Log probability of each token. */
  logProbabilities: readonly number[];
  /** Mean over the tokens. */
  logProbability: number;
  /** Compression ratio of the text in bytes: loops are above 2.4. */
  compression: number;
  /** True when the text ended by itself, false when it reached the token limit. */
  ended: boolean;
}

/** A word as the alignment heads place it; seconds from the start of the window. */
export interface PlacedWord {
  text: string;
  /** Index of its first token among those of text. */
  token: number;
  parted: boolean;
  start: number;
  end: number;
  probability: number;
}

/**
 * One encoded window of sound, which can be transcribed several times. It holds memory in the model's process until it
 * is closed.
 */
export class EncodedWindow {
  private constructor(
    private readonly networks: Networks,
    private readonly sequence: Sequence,
    private readonly encoded: Cache,
    private readonly seconds: number,
    /** Probability of each language, in the tokenizer's order; they add up to 1. */
    readonly languages: Float64Array,
    /** Probability of no speech, by the model itself; 0..1. */
    readonly noSpeech: number,
    /** The first version of the weights returns only the logits of all tokens. */
    private readonly summarises: boolean,
  ) {}

  /**
   * `samples`: at most 30 s at 16 kHz in mono, padded with silence to `seconds`. Transcription needs the 30 s that
   * Whisper was trained on; language detection needs fewer, at a fraction of the cost.
   */
  static async encode(
    networks: Networks,
    samples: Float32Array,
    { seconds = WINDOW_SECONDS }: { seconds?: number } = {},
  ): Promise<EncodedWindow> {
    const { encoder, decoder, tokens } = networks;
    const mel = await logMel(samples, seconds);
    const frames = mel.length / BANDS;
    const gives = new Set((await decoder.signature()).outputs.map(({ name }) => name));
    const sequence = encoder.sequence();
    try {
      const keep = layersOf(tokens).flatMap((layer) => [`cross_k_${layer}`, `cross_v_${layer}`]);
      const input = { mel: floatTensor(mel, [1, BANDS, frames]) };
      const { kept: encoded } = await sequence.run(encoder, input, { keep });
      const { wanted } = await sequence.run(
        decoder,
        { ...inputsOf([[tokens.start]], [0]), ...encoded, ...nothingYet(tokens) },
        { wanted: ['logits'] },
      );
      const logits = outputNamed(wanted, 'logits').data;
      const first = tokens.start + 1;
      const spoken = logits.subarray(first, first + tokens.languages.length);
      const [ofSpoken, ofAll] = [logSumExp(spoken), logSumExp(logits)];
      return new EncodedWindow(
        networks,
        sequence,
        encoded,
        samples.length / SAMPLES_A_FRAME / 50,
        Float64Array.from(spoken, (logit) => Math.exp(logit - ofSpoken)),
        Math.exp(float32At(logits, tokens.noSpeech) - ofAll),
        SUMMARY.every((name) => gives.has(name)),
      );
    } catch (error) {
      await sequence.end();
      throw error;
    }
  }

  /**
   * Transcribes in the spoken language or in English: `best` by beam search, `first` greedily, and by sampling at a
   * temperature above 0.
   */
  async write(options: {
    language: string;
    translate: boolean;
    /** Tokens that are taken to have been said before. */
    prompt: readonly number[];
    by: 'best' | 'first' | { temperature: number };
    signal: AbortSignal;
  }): Promise<Written> {
    const { tokens } = this.networks;
    const { prompt, by, signal } = options;
    const before = prompt.length > 0 ? [tokens.previous, ...prompt.slice(-MAX_PROMPT_TOKENS)] : [];
    const head = [...before, ...this.head(options)];
    const held: { cache: Cache | null } = { cache: null };
    const beams = by === 'best' ? BEAMS : 1;
    const random = randomFrom(typeof by === 'string' ? 0 : Math.round(by.temperature * 10));
    const next = async (ways: readonly Way[], from: readonly number[]): Promise<Candidate[][]> => {
      signal.throwIfAborted();
      const asked = held.cache === null ? [head] : ways.map((way) => way.tokens.slice(-1));
      const step = await this.step(asked, held.cache, { from, all: typeof by !== 'string' });
      held.cache = step.cache;
      return ways.map(({ tokens: written }, row) => {
        if (typeof by === 'string') {
          const count = by === 'best' ? beams + 1 : 1;
          return likeliest(this.following(step.wanted, row), written, count, tokens);
        }
        const logits = rowOf(step.wanted, 'logits', row, tokens.size);
        applyRules(logits, written, tokens);
        return [drawn(logits, by.temperature, random)];
      });
    };
    const most = Math.min(MAX_TOKENS, 448 - head.length);
    try {
      const way = await searchBeams({
        beams,
        next,
        end: tokens.end,
        isOver: (way) => this.isOver(way.tokens),
        within: WITHIN,
        // Texts that differ in their times alone would crowd out other words.
        sayingOf: (way) => {
          const words = way.tokens.filter((token) => token < tokens.end);
          return [...words, ...way.tokens.slice(-2).map((token) => token >= tokens.times)].join();
        },
        most,
      });
      const bytes = Buffer.from(tokens.text(way.tokens));
      return {
        tokens: way.tokens,
        logProbabilities: way.logProbabilities,
        logProbability: way.sum / (way.tokens.length + 1),
        compression: bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length,
        ended: way.tokens.length < most,
      };
    } finally {
      if (held.cache !== null) await this.sequence.drop(Object.values(held.cache));
    }
  }

  /** Places the transcribed words in time, by the attention of the alignment heads. */
  async place(written: Written, options: { language: string }): Promise<PlacedWord[]> {
    const { tokens, decoder } = this.networks;
    const said = written.tokens.flatMap((token, i) => (token < tokens.end ? [i] : []));
    if (said.length === 0) return [];
    const text = said.map((i) => elementAt(written.tokens, i));
    const head = [...this.head({ ...options, translate: false }), tokens.noTimes];
    const all = [...head, ...text, tokens.end];
    const { wanted } = await this.sequence.run(
      decoder,
      // The following token is known, so the logits of one row, the fewest possible, are requested.
      { ...inputsOf([all], [0]), ...this.encoded, ...nothingYet(tokens) },
      { wanted: ['alignment'] },
    );
    const { data, dims } = outputNamed(wanted, 'alignment');
    const frames = elementAt(dims, 3);
    const attention: Attention = {
      data,
      heads: elementAt(dims, 1),
      rows: elementAt(dims, 2),
      frames,
      used: Math.max(1, Math.min(frames, Math.ceil(this.seconds * 50))),
    };
    const first = head.length - 1;
    // From the row that predicts the first text token to the one that predicts the end.
    const starts = startsOfRows(attention, first, first + text.length + 1);
    return wordsOf(text, tokens, {
      startOf: (token) => elementAt(starts, token) * TICK,
      probabilityOf: (token) => Math.exp(elementAt(written.logProbabilities, elementAt(said, token))),
    });
  }

  close(): Promise<void> {
    return this.sequence.end();
  }

  private head({ language, translate }: { language: string; translate: boolean }): number[] {
    const { tokens } = this.networks;
    return [
      tokens.start,
      tokens.start + 1 + tokens.languages.indexOf(language),
      translate ? tokens.translate : tokens.transcribe,
    ];
  }

  /** Tests whether the last segment has closed at the end of the sound. */
  private isOver(written: readonly number[]): boolean {
    const { times } = this.networks.tokens;
    const [before, last] = written.slice(-2);
    if (before === undefined || last === undefined || last < times || before >= times) return false;
    return (last - times) * TICK >= this.seconds - LAST_SECONDS;
  }

  /**
   * Returns what may follow each of the rows, which continue the rows `from` of the cache; `all`: by the logits of all
   * tokens.
   */
  private async step(
    next: readonly (readonly number[])[],
    cache: Cache | null,
    { from, all }: { from: readonly number[]; all: boolean },
  ): Promise<{ wanted: Row; cache: Cache }> {
    const { tokens, decoder } = this.networks;
    const past =
      cache === null
        ? nothingYet(tokens)
        : Object.fromEntries(Object.entries(cache).map(([name, tensor]) => [name, { ...tensor, rows: from }]));
    const keep = layersOf(tokens).flatMap((layer) => [`present_k_${layer}`, `present_v_${layer}`]);
    const last = (next[0]?.length ?? 0) - 1;
    const { wanted, kept } = await this.sequence.run(
      decoder,
      { ...inputsOf(next, [last]), ...this.encoded, ...past },
      { wanted: all || !this.summarises ? ['logits'] : SUMMARY, keep },
    );
    if (cache) await this.sequence.drop(Object.values(cache));
    const grown = Object.entries(kept).map(([name, tensor]) => [name.replace('present', 'past'), tensor] as const);
    return { wanted, cache: Object.fromEntries(grown) };
  }

  private following(wanted: Row, row: number): Following {
    const { tokens } = this.networks;
    if (!this.summarises) return followingOf(rowOf(wanted, 'logits', row, tokens.size), BEAMS + 1, tokens);
    const named = wanted['text_tokens'];
    if (named?.type !== 'int64') throw new AditError('INTERNAL', 'The decoder names no tokens of text.');
    const count = elementAt(named.dims, 2);
    const logits = rowOf(wanted, 'text_logits', row, count);
    return {
      text: Array.from(logits, (logit, i) => ({ token: Number(elementAt(named.data, row * count + i)), logit })),
      textSum: float32At(outputNamed(wanted, 'text_sum').data, row),
      others: rowOf(wanted, 'other_logits', row, tokens.size - tokens.end),
    };
  }
}

/** Outputs of a decoder that summarises the logits. */
const SUMMARY = ['text_logits', 'text_tokens', 'text_sum', 'other_logits'];

function rowOf(wanted: Row, name: string, row: number, length: number): Float32Array {
  return outputNamed(wanted, name).data.subarray(row * length, (row + 1) * length);
}

function layersOf({ layers }: Tokenizer): number[] {
  return [...Array(layers).keys()];
}

/** `tokens` has equally many in each row. */
function inputsOf(tokens: readonly (readonly number[])[], rows: readonly number[]): Record<'tokens' | 'rows', Tensor> {
  const all = tokens.flat();
  return {
    tokens: { type: 'int64', data: BigInt64Array.from(all, BigInt), dims: [tokens.length, all.length / tokens.length] },
    rows: { type: 'int64', data: BigInt64Array.from(rows, BigInt), dims: [rows.length] },
  };
}

/** Returns the empty cache before the first token. */
function nothingYet(tokens: Tokenizer): Record<string, Tensor> {
  const nothing = floatTensor(new Float32Array(0), [1, tokens.heads, 0, HEAD]);
  return Object.fromEntries(
    layersOf(tokens).flatMap((layer) => [
      [`past_k_${layer}`, nothing],
      [`past_v_${layer}`, nothing],
    ]),
  );
}

const CLOSING = /^\s*[.,!?:;"')\]}…。，！？：、]+$/u;
const SPOKEN = /[\p{L}\p{N}]/u;
/** Scripts without spaces: each character, or two, is a word. */
const UNPARTED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/**
 * Joins tokens to words: a space opens a word, punctuation belongs to the one before. The bytes of a character stay
 * together; in languages without spaces each token of whole characters is a word.
 */
function wordsOf(
  text: readonly number[],
  tokens: Tokenizer,
  { startOf, probabilityOf }: { startOf: (token: number) => number; probabilityOf: (token: number) => number },
): PlacedWord[] {
  interface Growing {
    text: string;
    from: number;
    to: number;
    probability: number;
    /** Row where its spoken part ends. */
    ends: number | null;
  }
  const words: Growing[] = [];
  let held: number[] = [];
  let from = 0;
  for (const [i, token] of text.entries()) {
    held.push(token);
    const piece = tokens.text(held);
    if (piece.includes('\ufffd') && i + 1 < text.length) continue;
    const probability = probabilityOf(i);
    const last = words.at(-1);
    const opens = last === undefined || piece.startsWith(' ') || UNPARTED.test(piece);
    if (last === undefined || (opens && !CLOSING.test(piece))) {
      words.push({ text: piece, from, to: i + 1, probability, ends: null });
    } else {
      last.text += piece;
      last.to = i + 1;
      if (SPOKEN.test(piece)) {
        last.probability = Math.min(last.probability, probability);
        last.ends = null;
      } else {
        // Punctuation is not spoken.
        last.ends ??= from;
      }
    }
    held = [];
    from = i + 1;
  }
  return words.map((word) => ({
    text: word.text.trim(),
    token: word.from,
    parted: word.text.startsWith(' '),
    start: startOf(word.from),
    end: startOf(word.ends ?? word.to),
    probability: word.probability,
  }));
}
