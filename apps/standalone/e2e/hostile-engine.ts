/**
 * The engine of the hostile specs: as `engine-process.ts`, with a second workspace, whose key is in the environment, and
 * its process id in `engine.pid` beside the data folder.
 */
import 'reflect-metadata';
import { createHash, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ApiKeyEntity, WorkspaceEntity } from '@adit/database';
import { DataSource } from 'typeorm';
import { startEngine } from '../engine.js';

const [dataDir, port, ...localRoots] = process.argv.slice(2);
const engine = await startEngine({ dataDir: dataDir!, port: Number(port), localRoots });

const { manager } = engine.app.get(DataSource, { strict: false });
const workspaceId = randomUUID();
const key = process.env.ADIT_NEIGHBOUR_KEY!;
await manager.insert(WorkspaceEntity, { id: workspaceId, name: 'neighbour', signingSecret: 'whsec_none' });
await manager.insert(ApiKeyEntity, {
  id: randomUUID(),
  workspaceId,
  name: 'neighbour',
  prefix: key.slice(0, 4),
  hash: createHash('sha256').update(key).digest('hex'),
  role: 'member',
});
await writeFile(join(dirname(dataDir!), 'engine.pid'), String(process.pid));

process.on('message', (question) => {
  if (question === 'close') void engine.close().then(() => process.exit(0));
});
process.on('disconnect', () => process.exit(0));
process.send?.({ url: engine.url });
