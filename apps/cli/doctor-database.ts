import { AditError } from '@adit/contracts';
import { databaseConfig, DatabaseSettings, openDatabase, vectorSupport, type DatabaseConfig } from '@adit/database';
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

/** Nothing of the server is changed. */
export async function serverFindings(config: DatabaseConfig): Promise<Finding[]> {
  try {
    const { dataSource, close } = await openDatabase(config, { schema: 'take' });
    try {
      const { version } = await vectorSupport(dataSource.manager);
      if (version !== null) return [{ state: 'good', what: `PostgreSQL answers, with pgvector ${version}` }];
      return [
        { state: 'good', what: 'PostgreSQL answers' },
        {
          state: 'warning',
          what: 'it has no pgvector 0.8 or later: face indexes are searched in the memory of each process',
          advice: 'Install the package postgresql-<version>-pgvector on the server, then run "adit migrate".',
        },
      ];
    } finally {
      await close();
    }
  } catch (error) {
    return [{ state: 'bad', what: 'PostgreSQL', advice: AditError.from(error).message }];
  }
}
