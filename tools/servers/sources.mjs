// Sources of a server's program: packages, or else a container. A server that the environment names needs neither.
import { SetupError } from '../setup/step.mjs';

const SOURCES = ['packages', 'containers'];

/**
 * The sources to try, in order: what ADIT_TEST_SERVERS_FROM names, else packages, which need nothing but themselves and
 * start sooner, and then containers. Throws a SetupError for a word that is none of them.
 */
export function sourcesOf(env) {
  const named = env.ADIT_TEST_SERVERS_FROM;
  if (!named) return SOURCES;
  if (SOURCES.includes(named)) return [named];
  throw new SetupError(`ADIT_TEST_SERVERS_FROM is "${named}"; it can be ${SOURCES.join(' or ')}.`);
}

/**
 * Returns the result of the first of `sources` that works. Throws a SetupError with the reasons of all when none does. Any other
 * error is a fault and is rethrown at once.
 *
 * @template T
 * @param {string[]} sources
 * @param {Record<string, () => Promise<T>>} ways
 * @returns {Promise<T>}
 */
export async function firstToWork(sources, ways) {
  const reasons = [];
  for (const source of sources) {
    try {
      return await ways[source]();
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      reasons.push(error.message);
    }
  }
  throw new SetupError(reasons.join('\n'));
}
