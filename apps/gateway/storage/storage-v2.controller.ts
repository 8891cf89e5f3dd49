import { Controller, Inject } from '@nestjs/common';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { FileThumbnails } from './file-thumbnails.js';
import { folderPath } from '@adit/storage';
import { presentEntryV2 } from './present-entry.js';
import { storageV2 } from './storage-routes.js';
import { StorageTree } from './storage-tree.js';
import { StoredFiles } from './stored-files.js';
import { Uploads } from './uploads.js';

/** The same operations over the same tree; entries have another shape, and lists are pages. */
@Controller()
export class StorageV2Controller {
  constructor(
    @Inject(StorageTree) private readonly tree: StorageTree,
    @Inject(Uploads) private readonly uploads: Uploads,
    @Inject(StoredFiles) private readonly files: StoredFiles,
    @Inject(FileThumbnails) private readonly thumbnails: FileThumbnails,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(storageV2.upload)
  async upload({ query }: Input<typeof storageV2.upload>, { caller, request }: Exchange) {
    return presentEntryV2(await this.uploads.receive(caller.workspaceId, request, query));
  }

  @Route(storageV2.list)
  async list({ query }: Input<typeof storageV2.list>, { caller, request }: Exchange) {
    const { folder, ...page } = query;
    const { total, rows, next } = await this.tree.list(caller.workspaceId, folderPath(folder), page);
    return this.links.page(request, page, total, rows.map(presentEntryV2), next);
  }

  @Route(storageV2.one)
  async one({ params }: Input<typeof storageV2.one>, { caller }: Exchange) {
    return presentEntryV2(await this.tree.get(caller.workspaceId, params.storageId));
  }

  @Route(storageV2.file)
  file({ params }: Input<typeof storageV2.file>, exchange: Exchange) {
    return this.files.send(params.storageId, exchange);
  }

  @Route(storageV2.thumbnail)
  thumbnail({ params }: Input<typeof storageV2.thumbnail>, exchange: Exchange) {
    return this.thumbnails.send(params.storageId, exchange);
  }

  @Route(storageV2.remove)
  async remove({ params }: Input<typeof storageV2.remove>, { caller }: Exchange) {
    const entry = await this.tree.get(caller.workspaceId, params.storageId);
    await this.tree.remove(entry);
    return { message: `${entry.name} was deleted.` };
  }
}
