import { AditError, type DatasetImportRequest } from '@adit/contracts';
import {
  DatasetImportEntity,
  DatasetImportErrorEntity,
  inTransaction,
  isUuid,
  readPage,
  refuseBeyond,
  StorageEntryEntity,
} from '@adit/database';
import { deleteImport, insertImport, presentImport, storageKeyOf } from '@adit/datasets';
import { folderPath } from '@adit/storage';
import { Controller, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { DatasetRows } from './dataset-rows.js';
import * as routes from './import-routes.js';

/** Imports of one dataset that have not ended. */
const MAX_OPEN = 20;

/** Imports are done by the aggregator. */
@Controller()
export class ImportsController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(DatasetRows) private readonly rows: DatasetRows,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(routes.createImport)
  async create({ params, body }: Input<typeof routes.createImport>, exchange: Exchange) {
    const { newId: id, isDone, done } = exchange;
    const { workspaceId } = exchange.caller;
    const { id: datasetId } = await this.rows.dataset(workspaceId, params.datasetId);
    if (isDone) return presentImport(await this.row(workspaceId, datasetId, id));
    const source = await this.checked(workspaceId, body);
    await inTransaction(this.db, async (manager) => {
      await done(manager);
      await refuseBeyond(manager, {
        kind: 'imports',
        ownerId: datasetId,
        most: MAX_OPEN,
        rows: `SELECT 1 FROM dataset_imports WHERE dataset_id = $1 AND state IN ('waiting', 'processing')`,
        message: `${MAX_OPEN} imports of this dataset have not ended; wait for one of them.`,
      });
      await insertImport(manager, { id, workspaceId, datasetId, ...source });
    });
    return presentImport(await this.row(workspaceId, datasetId, id));
  }

  @Route(routes.listImports)
  async list({ params, query }: Input<typeof routes.listImports>, { caller, request }: Exchange) {
    const { id: datasetId } = await this.rows.dataset(caller.workspaceId, params.datasetId);
    const found = this.db.manager.createQueryBuilder(DatasetImportEntity, 'i').where({ datasetId });
    const { rows, total, next } = await readPage(found, query, [{ by: 'i.seq', kind: 'number', descending: true }]);
    return this.links.page(request, query, total, rows.map(presentImport), next);
  }

  @Route(routes.getImport)
  async one({ params }: Input<typeof routes.getImport>, { caller }: Exchange) {
    return presentImport(await this.row(caller.workspaceId, params.datasetId, params.importId));
  }

  @Route(routes.listImportErrors)
  async errors({ params, query }: Input<typeof routes.listImportErrors>, { caller, request }: Exchange) {
    const { id: importId } = await this.row(caller.workspaceId, params.datasetId, params.importId);
    const found = this.db.manager.createQueryBuilder(DatasetImportErrorEntity, 'e').where({ importId });
    const { rows, total, next } = await readPage(found, query, [{ by: 'e.position', kind: 'number' }]);
    const shown = rows.map(({ file, code, message }) => ({ file, code, message }));
    return this.links.page(request, query, total, shown, next);
  }

  @Route(routes.deleteImport)
  async delete({ params }: Input<typeof routes.deleteImport>, { caller }: Exchange) {
    const { id } = await this.row(caller.workspaceId, params.datasetId, params.importId);
    await inTransaction(this.db, (manager) => deleteImport(manager, id));
    return { message: 'The import was deleted; what it imported stays.' };
  }

  /** Throws SOURCE_REFUSED for what is not there. */
  private async checked(
    workspaceId: string,
    { file_uri: uri, folder: said }: DatasetImportRequest,
  ): Promise<Pick<DatasetImportEntity, 'storageKey' | 'folder'>> {
    if (uri === undefined) {
      const folder = folderPath(said ?? '', '/folder');
      if (folder === '/') throw refused('/folder', 'Name a folder below the root.');
      const isThere = await this.db.manager.existsBy(StorageEntryEntity, { workspaceId, name: folder, isFolder: true });
      if (!isThere) throw refused('/folder', `There is no folder ${folder}.`);
      return { storageKey: null, folder };
    }
    const key = storageKeyOf(uri);
    if (key === null)
      throw refused('/file_uri', `${uri.slice(0, 200)} is no address of an uploaded file (storage://…).`);
    const entry = await this.db.manager.findOneBy(StorageEntryEntity, { workspaceId, key });
    if (entry === null) throw refused('/file_uri', `storage://${key} does not exist.`);
    if (!entry.uploaded) throw refused('/file_uri', `storage://${key} has not been uploaded completely.`);
    return { storageKey: key, folder: null };
  }

  private async row(workspaceId: string, datasetId: string, id: string): Promise<DatasetImportEntity> {
    await this.rows.dataset(workspaceId, datasetId);
    const row = isUuid(id) ? await this.db.manager.findOneBy(DatasetImportEntity, { id, datasetId }) : null;
    if (row === null) throw new AditError('NOT_FOUND', `There is no import ${id}.`);
    return row;
  }
}

function refused(pointer: string, message: string): AditError {
  return new AditError('SOURCE_REFUSED', message, { errors: [{ pointer, code: 'source_refused', message }] });
}
