import pg from 'pg';

/**
 * A connection that gives up when the server has not answered for longer than it lets any statement run: its machine was
 * lost, and TCP would tell only after a quarter of an hour. Its queries then fail as on any lost connection.
 */
export function watchedClient(silenceSeconds: number, Client: typeof pg.Client = pg.Client): typeof pg.Client {
  return class WatchedClient extends Client {
    private timer: NodeJS.Timeout | undefined;

    constructor(config?: string | pg.ClientConfig) {
      super(config);
      const rest = () => clearTimeout(this.timer);
      this.on('drain', rest);
      this.on('end', rest);
      this.on('error', rest);
      const query = this.query.bind(this) as (...args: unknown[]) => unknown;
      // `query` has eleven overloads; all of them pass through unchanged.
      this.query = ((...args: unknown[]) => {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.giveUp(), silenceSeconds * 1000).unref();
        return query(...args);
      }) as typeof this.query;
    }

    private giveUp(): void {
      const { stream } = (this as unknown as { connection: { stream: { destroy(error: Error): void } } }).connection;
      stream.destroy(new Error(`Connection terminated: no answer for ${silenceSeconds} s`));
    }
  };
}
