import pg from 'pg';
import { uniqueName } from './servers.js';

/** A database of one spec's own on the PostgreSQL server that `url` names. */
export interface FreshDatabase {
  url: string;
  /** Ends every session on it and removes it. */
  drop(): Promise<void>;
}

/** Makes an empty database on the server of `url`, whose user has to be allowed to. Drop it in `afterAll`. */
export async function freshDatabase(url: string): Promise<FreshDatabase> {
  const name = uniqueName('spec').replace('-', '_');
  await command(url, `CREATE DATABASE ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { url: own.href, drop: () => command(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function command(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
