import pg from 'pg';

/** Statements that are kept; what comes later is parsed and planned each time. */
const MOST = 200;
/** Characters; longer ones insert many rows and are not repeated. */
const LONGEST = 8_000;

/**
 * A connection that prepares a statement when it comes for the second time: parsing and planning are most of what a small
 * query costs. PGlite's worker has plans made anew now and then, because tables grow; a server's autovacuum sees to that.
 */
export class PreparingClient extends pg.Client {
  /** Null when the statement came once. */
  private readonly names = new Map<string, string | null>();
  private prepared = 0;

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    // `query` has eleven overloads; those but (text, values) pass through unchanged.
    this.query = ((text: unknown, values: unknown, ...rest: unknown[]) => {
      if (typeof text !== 'string' || !Array.isArray(values)) return query(text, values, ...rest);
      const name = this.nameOf(text);
      return name === null ? query(text, values, ...rest) : query({ name, text, values: values as unknown[] }, ...rest);
    }) as typeof this.query;
  }

  private nameOf(text: string): string | null {
    if (text.length > LONGEST) return null;
    const known = this.names.get(text);
    if (typeof known === 'string') return known;
    if (this.prepared === MOST) return null;
    const name = known === undefined ? null : `adit_${++this.prepared}`;
    if (this.names.size > 10 * MOST) this.forgetSingle();
    this.names.set(text, name);
    return name;
  }

  private forgetSingle(): void {
    for (const [text, name] of this.names) if (name === null) this.names.delete(text);
  }
}
