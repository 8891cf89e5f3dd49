import { AditError } from '@adit/contracts';
import type { Comparison, DictionaryEntry, DistantDictionary } from './dictionary.js';

/** A film says the same few labels over and over. */
const MOST_KNOWN = 10_000;

type Found = DictionaryEntry | null;

/** What a module asked of a large dictionary and was told: asked ahead, so that it is at hand when a fold wants it. */
export class DistantAnswers {
  private known = new Map<string, Found>();
  /** Those known before; what is not asked again goes. */
  private former = new Map<string, Found>();
  /** While a call is only made to learn what it asks. */
  private missing: Set<string> | null = null;

  constructor(
    private readonly dictionary: DistantDictionary,
    private readonly how: Comparison,
  ) {}

  get isRehearsed(): boolean {
    return this.missing !== null;
  }

  /** Throws UNAVAILABLE for what was not asked ahead. */
  find(folded: string): Found {
    let found = this.known.get(folded);
    if (found === undefined) {
      found = this.former.get(folded);
      if (found !== undefined) this.known.set(folded, found);
    }
    if (found !== undefined) return found;
    if (this.missing === null) throw new AditError('UNAVAILABLE', 'A dictionary was not asked ahead.');
    this.missing.add(folded);
    return null;
  }

  /** Before what a call asks is learned: makes room for it. */
  makeRoom(): void {
    if (this.known.size < MOST_KNOWN) return;
    this.former = this.known;
    this.known = new Map();
  }

  /** From here on nothing is answered, until `told` says what was asked. */
  rehearse(): void {
    this.missing = new Set();
  }

  told(): ReadonlySet<string> {
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

/** Makes a call without its answers, to learn what it asks of dictionaries: of each that was asked, what. `call` must be pure. */
export function rehearsed(
  dictionaries: readonly DistantAnswers[],
  call: () => unknown,
): Map<DistantAnswers, ReadonlySet<string>> {
  for (const each of dictionaries) each.rehearse();
  try {
    call();
  } catch {
    // Without answers it may go wrong; when it does with them, whoever makes the call hears of it.
  }
  return new Map(dictionaries.map((each) => [each, each.told()] as const).filter(([, asked]) => asked.size > 0));
}

/** Asks ahead what `call` is going to ask: one answer may lead to another question. */
export async function askedAhead(dictionaries: readonly DistantAnswers[], call: () => unknown): Promise<void> {
  if (dictionaries.length === 0) return;
  for (const each of dictionaries) each.makeRoom();
  for (;;) {
    const asked = rehearsed(dictionaries, call);
    if (asked.size === 0) return;
    await Promise.all([...asked].map(([each, texts]) => each.ask(texts)));
  }
}
