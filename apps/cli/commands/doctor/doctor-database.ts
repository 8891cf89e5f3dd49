import { AditError } from '@adit/contracts';
import {
  databaseConfig,
  DatabaseSettings,
  hasTrigrams,
  openDatabase,
  vectorSupport,
  type Database,
  type DatabaseConfig,
} from '@adit/database';
import { BaseConfig, loadConfig } from '@adit/runtime';
import { z } from 'zod';
import type { Finding } from './finding.js';

const Config = z.object({ ...BaseConfig.shape, ...DatabaseSettings.shape });

/** The server that is configured, and whether it can search large face indexes. The embedded database has what it needs. */
export async function databaseFindings(): Promise<Finding[]> {
  const config = loadConfig(Config);
  if (config.databaseDriver === 'pglite') return [];
  return serverFindings(databaseConfig({ ...config, databaseConnectSeconds: 5 }, config.dataDir, 'adit-doctor'));
}

const WITHOUT_TRIGRAMS: Finding = {
  state: 'warning',
  what: 'it has no pg_trgm: searches find whole words, and neither parts of words nor misspelt ones',
  advice:
    'Install what PostgreSQL calls contrib on the server, run CREATE EXTENSION pg_trgm as an administrator, then "adit migrate".',
};

/** Nothing of the server is changed. */
export async function serverFindings(config: DatabaseConfig): Promise<Finding[]> {
  try {
    const { dataSource, isPooled, close } = await openDatabase(config, { schema: 'take' });
    try {
      const { version } = await vectorSupport(dataSource.manager);
      const words = (await hasTrigrams(dataSource.manager)) ? [] : [WITHOUT_TRIGRAMS];
      const pooling = isPooled ? poolerFindings(config, await shownLimits(dataSource)) : [];
      if (version !== null)
        return [{ state: 'good', what: `PostgreSQL answers, with pgvector ${version}` }, ...pooling, ...words];
      return [
        { state: 'good', what: 'PostgreSQL answers' },
        ...pooling,
        {
          state: 'warning',
          what: 'it has no pgvector 0.8 or later: face indexes are searched in the memory of each process',
          advice: 'Install the package postgresql-<version>-pgvector on the server, then run "adit migrate".',
        },
        ...words,
      ];
    } finally {
      await close();
    }
  } catch (error) {
    return [{ state: 'bad', what: 'PostgreSQL', advice: AditError.from(error).message }];
  }
}

/** Settings that apply to Adit's statements, according to the server. */
async function shownLimits(dataSource: Database['dataSource']): Promise<string> {
  const [shown]: [{ statement: string; lock: string; idle: string }] = await dataSource.query(
    `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
            current_setting('idle_in_transaction_session_timeout') AS idle`,
  );
  return `statement ${shown.statement}, lock ${shown.lock}, idle transaction ${shown.idle}`;
}

function poolerFindings(config: DatabaseConfig, limits: string): Finding[] {
  const what = `a pooler is in between and hands no start parameters on: the time limits go with each transaction (${limits})`;
  const found: Finding[] = [{ state: 'good', what }];
  if (config.driver === 'postgres' && config.migrationUrl === undefined) {
    found.push({
      state: 'warning',
      what: 'migrations go through the pooler',
      advice:
        'Name the server itself in DATABASE_MIGRATION_URL: a time limit that its user or database has would end a long migration.',
    });
  }
  if (config.driver === 'postgres' && config.prepare === true) {
    found.push({
      state: 'warning',
      what: 'statements are prepared through the pooler',
      advice: 'Leave DATABASE_PREPARE out, unless this is PgBouncer 1.21 or later with max_prepared_statements.',
    });
  }
  return found;
}
