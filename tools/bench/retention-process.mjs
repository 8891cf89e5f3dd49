// The sweeper alone on a database of many rows, in a process of its own, which is killed while it works.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseConfig, DatabaseSettings, openDatabase } from '@adit/database';
import { JobCommands } from '@adit/jobs';
import { FilesystemObjectStore } from '@adit/objects';
import { OutboxRelay } from '@adit/outbox';
import { fillTables, leftOf, sweeperOf } from '@adit/retention/testing';
import { BaseConfig, loadConfig } from '@adit/runtime';
import { answer } from './child.mjs';

const WORKSPACE = '00000000-0000-4000-8000-000000000001';
/** What the workspace keeps: 30 days; the first rows are 40 days old. */
const RETENTION = { results: 30 * 86_400, uploads: 30 * 86_400 };
const config = loadConfig(BaseConfig.extend({ ...DatabaseSettings.shape }));
const { dataSource: db, close } = await openDatabase(databaseConfig(config, '', 'adit-retention'));
const objects = await FilesystemObjectStore.open(mkdtempSync(join(tmpdir(), 'adit-retention-')));
const outbox = new OutboxRelay(db, { system: 'none', publish: () => Promise.resolve() });
const sweeper = sweeperOf({ db, objects, outbox, commands: new JobCommands(outbox, objects) });

answer({
  ready: () => undefined,
  async fill(size) {
    await db.query(
      `INSERT INTO workspaces (id, name, signing_secret, retention, held_tags) VALUES ($1, 'archive', 's', $2, '{held}')`,
      [WORKSPACE, JSON.stringify(RETENTION)],
    );
    await fillTables(db, WORKSPACE, size);
  },
  /** One pass. The lease of a process that was killed would hold it up for some minutes. */
  async sweep() {
    await db.query(`DELETE FROM leases WHERE name = 'sweeper'`);
    await sweeper.run();
  },
  left: (size) => leftOf(db, size),
  async end() {
    await sweeper.onApplicationShutdown();
    await close();
  },
});
