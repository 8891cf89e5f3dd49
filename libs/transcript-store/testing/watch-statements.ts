import type { OutboxRelay } from '@adit/outbox';
import type { EntityManager } from 'typeorm';

/** Tells each statement of a transaction, and its parameters. */
export function watchStatements(
  outbox: OutboxRelay,
  told: (statement: string, parameters: readonly unknown[]) => void,
): void {
  const transaction = outbox.transaction.bind(outbox);
  outbox.transaction = (work) =>
    transaction((manager) => {
      const query = manager.query.bind(manager);
      manager.query = ((...[statement, parameters]: Parameters<EntityManager['query']>) => {
        told(statement, Array.isArray(parameters) ? parameters : []);
        return query(statement, parameters);
      }) as typeof manager.query;
      return work(manager);
    });
}
