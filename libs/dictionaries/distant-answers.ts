import { AditError } from '@adit/contracts';
import type { Comparison, DictionaryEntry, DistantDictionary } from './dictionary.js';

/** Number of cached answers: a film has the same few labels again and again. */
const MAX_KNOWN = 10_000;

type Found = DictionaryEntry | null;

/** Answers of a large dictionary, queried ahead, so that they are available during a fold. */
export class DistantAnswers {
  private known = new Map<string, Found>();
  /** Answers of earlier calls; those not requested again are dropped. */
  private former = new Map<string, Found>();
  /** Questions of a rehearsed call; null otherwise. */
  private missing: Set<string> | null = null;

  constructor(
    private readonly dictionary: DistantDictionary,
    private readonly how: Comparison,
  ) {}

  get isRehearsed(): boolean {
    return this.missing !== null;
  }

  /** Throws UNAVAILABLE for a text that was not queried ahead. */
  find(folded: string): Found {
    let found = this.known.get(folded);
    if (found === undefined) {
      found = this.former.get(folded);
      if (found !== undefined) this.known.set(folded, found);
    }
    if (found !== undefined) return found;
    if (this.missing === null) throw new AditError('UNAVAILABLE', 'A dictionary was not queried ahead.');
    this.missing.add(folded);
    return null;
  }

  /** Frees space before a call is rehearsed. */
  evict(): void {
    if (this.known.size < MAX_KNOWN) return;
    this.former = this.known;
    this.known = new Map();
  }

  /** Records questions instead of answering, until `recorded` returns them. */
  rehearse(): void {
    this.missing = new Set();
  }

  recorded(): ReadonlySet<string> {
    const missing = this.missing ?? new Set<string>();
    this.missing = null;
    return missing;
  }

  async ask(texts: Iterable<string>): Promise<void> {
    const asked = [...texts];
    const found = await this.dictionary.find(this.how, asked);
    for (const [at, text] of asked.entries()) this.known.set(text, found[at] ?? null);
  }
}

/** Makes a pure call without answers to collect its questions per dictionary. */
export function rehearsed(
  dictionaries: readonly DistantAnswers[],
  call: () => unknown,
): Map<DistantAnswers, ReadonlySet<string>> {
  for (const each of dictionaries) each.rehearse();
  try {
    call();
  } catch {
    // The call may fail without answers; with answers the caller gets the error.
  }
  return new Map(dictionaries.map((each) => [each, each.recorded()] as const).filter(([, asked]) => asked.size > 0));
}

/** Queries ahead everything that `call` will ask: one answer may lead to another question. */
export async function askedAhead(dictionaries: readonly DistantAnswers[], call: () => unknown): Promise<void> {
  if (dictionaries.length === 0) return;
  for (const each of dictionaries) each.evict();
  for (;;) {
    const asked = rehearsed(dictionaries, call);
    if (asked.size === 0) return;
    await Promise.all([...asked].map(([each, texts]) => each.ask(texts)));
  }
}
