import { openDatabase } from '@adit/database';
import { ModelRepository } from '@adit/inference';
import { ModelStore } from '@adit/model-store';
import { loadModules } from '@adit/modules';
import { FilesystemObjectStore } from '@adit/objects';
import { configureLogging, loadConfig } from '@adit/runtime';
import { GatewayConfig } from '../config.js';
import { SyncedModels } from '../models/synced-models.js';
import { SyncedRows } from '../models/synced-rows.js';
import { ServedModels } from '../models/served-models.js';

/**
 * Starts the service that syncs models, over a database of its own connections; it works when it is nudged. For specs.
 */
export async function syncing(url: string, objectsRoot: string, syncedModels: string) {
  configureLogging({ level: 'silent' });
  const { dataSource, close } = await openDatabase({ driver: 'postgres', url });
  const repository = await ModelRepository.open({ roots: [] });
  const objects = await FilesystemObjectStore.open(objectsRoot);
  const store = new ModelStore(dataSource, objects);
  const rows = new SyncedRows(dataSource);
  const served = new ServedModels(repository, await loadModules());
  const config = { ...loadConfig(GatewayConfig, {}), syncedModels, syncedModelsSeconds: 86_400 };
  const service = new SyncedModels(dataSource, rows, store, repository, served, config);
  return {
    ...{ service, rows, objects, db: dataSource },
    async close() {
      await service.onApplicationShutdown();
      await repository.close();
      await close();
    },
  };
}
