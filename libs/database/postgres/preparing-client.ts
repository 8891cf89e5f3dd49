import pg from 'pg';
import { interceptQueries } from '../intercepted-queries.js';

/** Maximum number of prepared statements; later ones are parsed and planned each time. */
const MAX_STATEMENTS = 200;
/** Maximum number of characters; longer statements insert many rows and are not repeated. */
const MAX_LENGTH = 8_000;

/**
 * A connection that prepares a statement when it comes for the second time: parsing and planning are most of the cost
 * of a small query. PGlite's worker discards plans now and then, because tables grow; a server's autovacuum does
 * that.
 */
export function preparingClient(Client: typeof pg.Client = pg.Client): typeof pg.Client {
  return class PreparingClient extends Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      const names = new StatementNames();
      // Calls other than (text, values[, callback]) pass through unchanged.
      interceptQueries(this, (query, args) => {
        const [text, values, callback] = args;
        if (typeof text !== 'string' || !Array.isArray(values)) return query(...args);
        const name = names.of(text);
        if (name === null) return query(...args);
        // A named configuration would be cloned property by property, which costs more than to bind it.
        const named = Object.assign(new pg.Query(text, values), { name });
        if (callback !== undefined) return query(named, callback);
        return new Promise((resolve, reject) => {
          query(named, (error: Error | null, result: unknown) => (error ? reject(error) : resolve(result)));
        });
      });
    }
  };
}

/** Statements of one connection, by text. */
class StatementNames {
  /** Null when the statement came once. */
  private readonly names = new Map<string, string | null>();
  private prepared = 0;

  /** Null where the statement is not to be prepared. */
  of(text: string): string | null {
    if (text.length > MAX_LENGTH) return null;
    const known = this.names.get(text);
    if (typeof known === 'string') return known;
    if (this.prepared === MAX_STATEMENTS) return null;
    const name = known === undefined ? null : `adit_${++this.prepared}`;
    if (this.names.size > 10 * MAX_STATEMENTS) this.forgetSingle();
    this.names.set(text, name);
    return name;
  }

  private forgetSingle(): void {
    for (const [text, name] of this.names) if (name === null) this.names.delete(text);
  }
}
