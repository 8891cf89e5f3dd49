import { elementAt } from '@adit/contracts';
import type { Candidate } from './candidates.js';

/** A text that may be meant, token by token. */
export interface Way {
  tokens: readonly number[];
  /** Of each token, given those before it. */
  logProbabilities: readonly number[];
  /** Their sum, with that of the end. */
  sum: number;
}

interface Search {
  /** Ways that are followed at once, and how many finished ones end the search: a patience of 1. */
  beams: number;
  /**
   * What may follow each way, in their order, the likeliest first, given the rows that each way grew from: one more than beams, as
   * one of them may be the end.
   */
  next(ways: readonly Way[], from: readonly number[]): Promise<readonly (readonly Candidate[])[]>;
  /** The token that ends a text. */
  end: number;
  /** Whether a way has nothing more to come. */
  isOver(way: Way): boolean;
  /** Ways are given up that are this much less likely than the likeliest of their length, as a logarithm. */
  within?: number;
  /** Equal for ways that say the same: of those only the likeliest is followed. */
  sayingOf?(way: Way): string;
  /** Tokens of a text. */
  most: number;
}

const NOTHING: Way = { tokens: [], logProbabilities: [], sum: 0 };

/** The likeliest text by the mean over its tokens, by beam search as OpenAI's Whisper does it; with one beam it is the first. */
export async function searchBeams(search: Search): Promise<Way> {
  const { beams, next, end, isOver, most, within = Infinity, sayingOf } = search;
  let ways = [NOTHING];
  let from: number[] = [];
  const finished: Way[] = [];
  for (let length = 0; length < most && ways.length > 0 && finished.length < beams; length++) {
    const following = await next(ways, from);
    const grown = ways
      .flatMap((way, row) =>
        elementAt(following, row).map((candidate) => {
          return { way, row, ...candidate, sum: way.sum + candidate.logProbability };
        }),
      )
      .sort((a, b) => b.sum - a.sum);
    [ways, from] = [[], []];
    const least = (grown[0]?.sum ?? 0) - within;
    const said = new Set<string>();
    for (const { way, row, token, logProbability, sum } of grown) {
      if (ways.length === beams || sum < least) break;
      if (token === end) {
        finished.push({ ...way, sum });
        continue;
      }
      const longer: Way = {
        tokens: [...way.tokens, token],
        logProbabilities: [...way.logProbabilities, logProbability],
        sum,
      };
      if (sayingOf !== undefined) {
        const saying = sayingOf(longer);
        if (said.has(saying)) continue;
        said.add(saying);
      }
      if (isOver(longer)) {
        finished.push(longer);
      } else {
        ways.push(longer);
        from.push(row);
      }
    }
  }
  // Where too few have ended, what is left counts as well.
  const all = [...finished.slice(0, beams), ...ways.slice(0, Math.max(0, beams - finished.length))];
  return all.reduce((best, way) => (meanOf(way) > meanOf(best) ? way : best), all[0] ?? NOTHING);
}

function meanOf({ tokens, sum }: Way): number {
  return sum / Math.max(1, tokens.length);
}
