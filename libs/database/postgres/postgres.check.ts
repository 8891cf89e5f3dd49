/** Runs the database's conformance suite on the server of the usual settings: `npm run servers -- --check`. */
import { BaseConfig, loadConfig } from '@adit/runtime';
import { freshDatabase, type FreshDatabase } from '@adit/testing';
import { afterAll } from '@jest/globals';
import { z } from 'zod';
import { databaseConformance } from '../conformance.js';
import { openDatabase } from '../database.js';
import { databaseConfig, DatabaseSettings } from '../settings.js';

const settings = loadConfig(z.object({ ...BaseConfig.shape, ...DatabaseSettings.shape }));
const config = databaseConfig({ ...settings, databaseDriver: 'postgres' }, settings.dataDir, 'adit-check');
if (config.driver !== 'postgres') throw new Error('DATABASE_DRIVER has to be postgres.');
const { url, migrationUrl } = config;
let made: FreshDatabase | null = null;

databaseConformance(
  'postgres',
  async () => {
    // A database of its own, made by the migrations' user: the suite changes tables.
    made = await freshDatabase(migrationUrl ?? url);
    const { pathname } = new URL(made.url);
    const within = (address: string) => Object.assign(new URL(address), { pathname }).href;
    const own = migrationUrl === undefined ? {} : { migrationUrl: within(migrationUrl) };
    return openDatabase({ ...config, url: within(url), ...own });
  },
  { concurrent: true },
);

afterAll(() => made?.drop());
