import pg from 'pg';
import { interceptQueries } from '../intercepted-queries.js';

/**
 * A connection that gives up when the server has not answered for longer than any statement may run: its machine was
 * lost, which TCP would report only after a quarter of an hour. Its queries then fail as on any lost connection.
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
      interceptQueries(this, (query, args) => {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.giveUp(), silenceSeconds * 1000).unref();
        return query(...args);
      });
    }

    private giveUp(): void {
      this.connection.stream.destroy(new Error(`Connection terminated: no answer for ${silenceSeconds} s`));
    }
  };
}
