import pg from 'pg';
import { interceptQueries } from '../intercepted-queries.js';
import type { SessionLimits } from './session-limits.js';

const BEGINS = /^\s*(START|BEGIN)\b/i;
/** Statements that end a transaction, and statements that may not be in one. */
const STANDS_ALONE =
  /^\s*(COMMIT|END|ABORT|ROLLBACK|VACUUM|REINDEX|ALTER\s+SYSTEM|(CREATE|DROP)\s+(DATABASE|TABLESPACE|(UNIQUE\s+)?INDEX\s+CONCURRENTLY))\b/i;

/** Parts of a query and its connection in `pg` that are used here; the types omit them. */
interface Sent {
  text: string;
  submit(connection: Wire): Error | null;
  requiresPreparation(): boolean;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Wire): void;
}

interface Wire {
  stream: { cork(): void; uncork(): void };
  parse(statement: { text: string; name: string }): void;
  bind(portal: object): void;
  execute(portal: object): void;
}

/**
 * A connection through a pooler that drops start parameters and may give every transaction another session: the
 * limits are set in each transaction, and hold for it alone. They cost no round trip of their own: they are sent with
 * the statement that begins a transaction, or before one that is a transaction itself.
 */
export function limitedClient(limits: SessionLimits): typeof pg.Client {
  return class LimitedClient extends pg.Client {
    /** Transaction state from the server: I for none, T for one, E for a failed one. */
    private transaction = 'I';

    constructor(config?: string | pg.ClientConfig) {
      super(config);
      this.connection.on('readyForQuery', ({ status }: { status: string }) => (this.transaction = status));
      interceptQueries(this, (query, args) => {
        const [first, values, callback] = args;
        const sent = first instanceof pg.Query ? first : typeof first === 'string' ? queryOf(first, values) : undefined;
        if (sent === undefined) return query(...args);
        // The types omit the parts of a query.
        limit(sent as unknown as Sent, limits, () => this.transaction === 'I');
        const done = args.find((arg) => typeof arg === 'function') ?? callback;
        if (done !== undefined || sent === first) return query(sent, done);
        return new Promise((resolve, reject) => {
          query(sent, (error: Error | null, result: unknown) => (error ? reject(error) : resolve(result)));
        });
      });
    }
  };
}

function queryOf(text: string, values: unknown): pg.Query {
  return Array.isArray(values) ? new pg.Query(text, values) : new pg.Query(text);
}

/** Decides when the query is sent, since others may be queued before it. */
function limit(query: Sent, limits: SessionLimits, isIdle: () => boolean): void {
  const submit = query.submit.bind(query);
  query.submit = (connection) => {
    const { text } = query;
    if (!isIdle() || STANDS_ALONE.test(text)) return submit(connection);
    if (BEGINS.test(text)) {
      // No SELECT: the isolation may still be set after it.
      const settings = Object.entries(limits).map(([name, value]) => `SET LOCAL ${name} TO ${value}`);
      query.text = [text, ...settings].join('; ');
      answerOnlyTo(query, 0);
      return submit(connection);
    }
    const settings = `SELECT ${Object.entries(limits).map(([name, value]) => `set_config('${name}', '${value}', true)`)}`;
    answerOnlyTo(query, 1);
    if (!query.requiresPreparation()) {
      query.text = `${settings}; ${text}`;
      return submit(connection);
    }
    // Up to the next Sync, which is the query's own, all messages are one transaction.
    connection.stream.cork();
    try {
      connection.parse({ text: settings, name: '' });
      connection.bind({});
      connection.execute({});
      return submit(connection);
    } finally {
      connection.stream.uncork();
    }
  };
}

/** Forwards results from statement `own` on to the query, or of it alone when it is the first. */
function answerOnlyTo(query: Sent, own: number): void {
  const { handleRowDescription, handleDataRow, handleCommandComplete } = query;
  let completed = 0;
  const isMeant = () => (own === 0 ? completed === 0 : completed >= own);
  query.handleRowDescription = (message) => isMeant() && handleRowDescription.call(query, message);
  query.handleDataRow = (message) => isMeant() && handleDataRow.call(query, message);
  query.handleCommandComplete = (message, connection) => {
    if (isMeant()) handleCommandComplete.call(query, message, connection);
    completed += 1;
  };
}
