import { elementAt } from '@adit/contracts';
import { z } from 'zod';

/** Content of `tokenizer.data` beside the decoder's graph. */
const TokenizerFile = z.object({
  layers: z.int().positive(),
  heads: z.int().positive(),
  tokens: z.array(z.string()),
  /** Pairs of pieces to join, in order of preference. */
  merges: z.array(z.string()),
  /** Tokens that are never written. */
  never: z.array(z.int()),
});

/** GPT-2's printable stand-ins for bytes. */
const BYTE_OF = new Map<string, number>();
{
  let extra = 0;
  for (let byte = 0; byte < 256; byte++) {
    const plain = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    BYTE_OF.set(String.fromCodePoint(plain ? byte : 256 + extra++), byte);
  }
}
const STAND_INS = [...BYTE_OF.keys()];

function byteOf(character: string): number {
  const byte = BYTE_OF.get(character);
  if (byte === undefined) throw new RangeError(`${character} stands for no byte.`);
  return byte;
}

/** GPT-2's splitting of a text before pieces are joined. */
const PARTS = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

/** Seconds between two timestamps. */
export const TICK = 0.02;

/** Tokens of a Whisper model: text, languages, tasks and times. */
export class Tokenizer {
  readonly layers: number;
  readonly heads: number;
  readonly size: number;
  readonly never: readonly number[];
  readonly end: number;
  readonly start: number;
  readonly translate: number;
  readonly transcribe: number;
  readonly previous: number;
  readonly noSpeech: number;
  readonly noTimes: number;
  /** First of the times, 0.00. */
  readonly times: number;
  /** Codes of the languages, from token `start + 1` on. */
  readonly languages: readonly string[];
  private readonly tokens: readonly string[];
  private readonly numbers: ReadonlyMap<string, number>;
  private readonly ranks: ReadonlyMap<string, number>;

  constructor(file: Buffer) {
    const { layers, heads, tokens, merges, never } = TokenizerFile.parse(JSON.parse(file.toString('utf8')));
    [this.layers, this.heads, this.never] = [layers, heads, never];
    this.tokens = tokens;
    this.size = tokens.length;
    this.numbers = new Map(tokens.map((token, number) => [token, number]));
    this.ranks = new Map(merges.map((pair, rank) => [pair, rank]));
    const number = (...names: string[]): number => {
      for (const name of names) {
        const found = this.numbers.get(`<|${name}|>`);
        if (found !== undefined) return found;
      }
      throw new RangeError(`The tokens of a Whisper have no ${names.join(' or ')}.`);
    };
    this.end = number('endoftext');
    this.start = number('startoftranscript');
    this.translate = number('translate');
    this.transcribe = number('transcribe');
    this.previous = number('startofprev');
    this.noSpeech = number('nospeech', 'nocaptions');
    this.noTimes = number('notimestamps');
    this.times = number('0.00');
    this.languages = tokens
      .slice(this.start + 1, Math.min(this.translate, this.transcribe))
      .map((name) => name.slice(2, -2));
  }

  /** Returns the text of tokens without special ones; incomplete characters become U+FFFD. */
  text(tokens: readonly number[]): string {
    const bytes = tokens
      .filter((token) => token < this.end)
      .flatMap((token) => Array.from(elementAt(this.tokens, token), byteOf));
    return Buffer.from(bytes).toString('utf8');
  }

  /** Returns the tokens of a text. */
  encode(text: string): number[] {
    return (text.match(PARTS) ?? []).flatMap((part) => {
      let pieces = Array.from(Buffer.from(part, 'utf8'), (byte) => elementAt(STAND_INS, byte));
      for (;;) {
        let best = -1;
        let least = Infinity;
        for (let i = 0; i + 1 < pieces.length; i++) {
          const rank = this.ranks.get(pieces.slice(i, i + 2).join(' '));
          if (rank !== undefined && rank < least) [best, least] = [i, rank];
        }
        if (best < 0) break;
        pieces = [...pieces.slice(0, best), pieces.slice(best, best + 2).join(''), ...pieces.slice(best + 2)];
      }
      return pieces.flatMap((piece) => this.numbers.get(piece) ?? []);
    });
  }
}
