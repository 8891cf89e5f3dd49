import pg from 'pg';
import { uniqueName } from './servers.js';
import { spending } from './test-costs.js';

/** A database of one spec's own on the PostgreSQL server that `url` names. */
export interface FreshDatabase {
  url: string;
  /** Rows of one statement, beside everything that works on the database. */
  query<Row extends object>(statement: string): Promise<Row[]>;
  /** Ends every session on it and removes it. */
  drop(): Promise<void>;
}

/**
 * Makes a database on the server of `url`, whose user has to be allowed to: empty, or a copy of `template`. Drop it in
 * `afterAll`.
 */
export async function freshDatabase(url: string, template?: string): Promise<FreshDatabase> {
  const name = uniqueName('spec').replace('-', '_');
  const create = `CREATE DATABASE ${name}${template === undefined ? '' : ` TEMPLATE ${template}`}`;
  await spending('databases', () => queryDatabase(url, create));
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    url: own.href,
    query: <Row extends object>(statement: string) => queryDatabase<Row>(own.href, statement),
    drop: async () => void (await queryDatabase(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
}

/** Rows of one statement on the database of `url`, on a connection of its own. */
export async function queryDatabase<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 60_000 });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
