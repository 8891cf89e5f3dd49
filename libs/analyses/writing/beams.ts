import { elementAt } from '@adit/contracts';
import type { Candidate } from './candidates.js';

/** A candidate text, token by token. */
export interface Way {
  tokens: readonly number[];
  /** Log probability of each token, given those before it. */
  logProbabilities: readonly number[];
  /** Their sum, including the end's. */
  sum: number;
}

interface Search {
  /** Number of texts followed concurrently, and of finished ones that end the search: a patience of 1. */
  beams: number;
  /**
   * Returns the candidates after each text, in order, the likeliest first; `from` has the row that each text continues.
   * There is one more than beams, since one may be the end.
   */
  next(ways: readonly Way[], from: readonly number[]): Promise<readonly (readonly Candidate[])[]>;
  /** Token that ends a text. */
  end: number;
  /** Tests whether a text is complete. */
  isOver(way: Way): boolean;
  /** Log probability below the likeliest text of the same length at which one is dropped. */
  within?: number;
  /** Returns an equal value for equivalent texts, of which only the likeliest is followed. */
  sayingOf?(way: Way): string;
  /** Longest text in tokens. */
  most: number;
}

const NOTHING: Way = { tokens: [], logProbabilities: [], sum: 0 };

/**
 * Finds the likeliest text by the mean over its tokens, by beam search as in OpenAI's Whisper; with one beam it is
 * greedy.
 */
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
  // Unfinished beams count as well if too few have ended.
  const all = [...finished.slice(0, beams), ...ways.slice(0, Math.max(0, beams - finished.length))];
  return all.reduce((best, way) => (meanOf(way) > meanOf(best) ? way : best), all[0] ?? NOTHING);
}

function meanOf({ tokens, sum }: Way): number {
  return sum / Math.max(1, tokens.length);
}
