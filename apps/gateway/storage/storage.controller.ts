import { Controller, Inject } from '@nestjs/common';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { askedPage } from '../http/shapes.js';
import { FileThumbnails } from './file-thumbnails.js';
import { folderPath } from '@adit/storage';
import { presentEntry } from './present-entry.js';
import { storageV1 } from './storage-routes.js';
import { StorageTree } from './storage-tree.js';
import { StoredFiles } from './stored-files.js';
import { Uploads } from './uploads.js';

@Controller()
export class StorageController {
  constructor(
    @Inject(StorageTree) private readonly tree: StorageTree,
    @Inject(Uploads) private readonly uploads: Uploads,
    @Inject(StoredFiles) private readonly files: StoredFiles,
    @Inject(FileThumbnails) private readonly thumbnails: FileThumbnails,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(storageV1.upload)
  async upload({ query }: Input<typeof storageV1.upload>, { caller, request }: Exchange) {
    return presentEntry(await this.uploads.receive(caller.workspaceId, request, query));
  }

  @Route(storageV1.list)
  async list({ query: { folder, ...query } }: Input<typeof storageV1.list>, { caller, request }: Exchange) {
    // Only who asks by a cursor is answered with pages.
    const page = query.cursor === undefined ? null : askedPage(query);
    const found = await this.tree.list(caller.workspaceId, folderPath(folder), page ?? query);
    const entries = found.rows.map(presentEntry);
    return page === null ? entries : this.links.page(request, page, found.total, entries, found.next);
  }

  @Route(storageV1.one)
  async one({ params }: Input<typeof storageV1.one>, { caller }: Exchange) {
    return presentEntry(await this.tree.get(caller.workspaceId, params.storageId));
  }

  @Route(storageV1.file)
  file({ params }: Input<typeof storageV1.file>, exchange: Exchange) {
    return this.files.send(params.storageId, exchange);
  }

  @Route(storageV1.thumbnail)
  thumbnail({ params }: Input<typeof storageV1.thumbnail>, exchange: Exchange) {
    return this.thumbnails.send(params.storageId, exchange);
  }

  @Route(storageV1.remove)
  async remove({ params }: Input<typeof storageV1.remove>, { caller }: Exchange) {
    const entry = await this.tree.get(caller.workspaceId, params.storageId);
    await this.tree.remove(entry);
    return { message: `${entry.name} was deleted.` };
  }
}
