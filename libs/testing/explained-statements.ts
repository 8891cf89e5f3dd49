import type { PlanNode } from './plan-rows.js';

/** A connection of `pg`, and the pool that lends it, as far as they are needed here. */
interface Client {
  query: unknown;
}
interface Pool {
  on(event: 'acquire', listener: (client: Client) => void): unknown;
}

/** A statement as it was about to run, with its plan and what that read. */
export interface ExplainedStatement {
  sql: string;
  /** Milliseconds on the server. */
  milliseconds: number;
  plan: PlanNode & { 'Node Type': string };
  /** Tables that a scan went through from one end to the other, by the number of rows that it met. */
  scanned: Map<string, number>;
  /** Rows that scans of tables and indexes met, those that a filter dropped included. */
  rowsRead: number;
}

type AnyPlan = Partial<PlanNode> & { 'Node Type': string; 'Relation Name'?: string; Plans?: AnyPlan[] };

/**
 * Runs every statement of a pool twice: first by EXPLAIN (ANALYZE), whose effects are taken back, in
 * the transaction that it belongs to. The list grows with each.
 */
export function explainStatements(pool: Pool): ExplainedStatement[] {
  const list: ExplainedStatement[] = [];
  const known = new WeakSet<object>();
  pool.on('acquire', (client) => {
    if (known.has(client)) return;
    known.add(client);
    explainClient(client, list);
  });
  return list;
}

function explainClient(client: Client, list: ExplainedStatement[]): void {
  // The overloads with callbacks are not used.
  const own = client.query as (this: Client, sql: unknown, values?: unknown[]) => Promise<{ rows: unknown[] }>;
  const query = own.bind(client);
  let inTransaction = false;
  const explain = async (sql: string, values?: unknown[]): Promise<void> => {
    await query(inTransaction ? 'SAVEPOINT explained' : 'BEGIN');
    try {
      const { rows } = await query(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, values);
      const [{ 'QUERY PLAN': plans }] = rows as [{ 'QUERY PLAN': [{ Plan: AnyPlan; 'Execution Time': number }] }];
      list.push(statementOf(sql, plans[0].Plan, plans[0]['Execution Time']));
    } finally {
      await query(inTransaction ? 'ROLLBACK TO SAVEPOINT explained' : 'ROLLBACK');
    }
  };
  const explained = async (sql: unknown, values?: unknown[]): Promise<unknown> => {
    if (typeof sql !== 'string') return query(sql, values);
    if (/^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b/i.test(sql)) await explain(sql, values);
    const answer = await query(sql, values);
    if (/^\s*(START|BEGIN)\b/i.test(sql)) inTransaction = true;
    if (/^\s*(COMMIT|ROLLBACK)\s*$/i.test(sql)) inTransaction = false;
    return answer;
  };
  client.query = explained;
}

function statementOf(sql: string, plan: AnyPlan, milliseconds: number): ExplainedStatement {
  const scanned = new Map<string, number>();
  let rowsRead = 0;
  const visit = (node: AnyPlan): void => {
    const loops = node['Actual Loops'] ?? 0;
    const rows = ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * loops;
    const table = node['Relation Name'];
    if (table !== undefined && node['Node Type'].endsWith('Scan')) {
      rowsRead += rows;
      if (node['Node Type'] === 'Seq Scan') scanned.set(table, Math.max(scanned.get(table) ?? 0, rows));
    }
    for (const below of node.Plans ?? []) visit(below);
  };
  visit(plan);
  return { sql, milliseconds, plan: plan as ExplainedStatement['plan'], scanned, rowsRead };
}
