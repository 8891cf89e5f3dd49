import { AditError } from '@adit/contracts';
import { storageObjectKey } from '@adit/jobs';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Controller, Inject } from '@nestjs/common';
import { Route, type Exchange, type Input } from '../http/route.js';
import { sendObject } from '../http/send-object.js';
import { isShowable } from './content-type.js';
import { folderPath } from './names.js';
import { deleteEntry, getEntry, getFile, listFolder, uploadFile } from './storage-routes.js';
import { presentEntry, StorageTree } from './storage-tree.js';
import { Uploads } from './uploads.js';

@Controller()
export class StorageController {
  constructor(
    @Inject(StorageTree) private readonly tree: StorageTree,
    @Inject(Uploads) private readonly uploads: Uploads,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {}

  @Route(uploadFile)
  async upload({ query }: Input<typeof uploadFile>, { caller, request }: Exchange) {
    return presentEntry(await this.uploads.receive(caller.workspaceId, request, query.folder));
  }

  @Route(listFolder)
  async list({ query }: Input<typeof listFolder>, { caller }: Exchange) {
    return (await this.tree.list(caller.workspaceId, folderPath(query.folder))).map(presentEntry);
  }

  @Route(getEntry)
  async one({ params }: Input<typeof getEntry>, { caller }: Exchange) {
    return presentEntry(await this.tree.get(caller.workspaceId, params.storageId));
  }

  @Route(getFile)
  async file({ params }: Input<typeof getFile>, { caller, request, reply }: Exchange) {
    const entry = await this.tree.get(caller.workspaceId, params.storageId);
    if (entry.key === null) throw new AditError('NOT_FOUND', `${entry.name} is a folder.`);
    if (!entry.uploaded) throw new AditError('CONFLICT', `${entry.name} has not been uploaded completely.`);
    const object = {
      key: storageObjectKey(caller.workspaceId, entry.key),
      filename: entry.name,
      contentType: entry.contentType,
      size: Number(entry.size),
      etag: entry.digest,
      disposition: isShowable(entry.contentType) ? ('inline' as const) : ('attachment' as const),
    };
    return sendObject(this.objects, object, request, reply);
  }

  @Route(deleteEntry)
  async delete({ params }: Input<typeof deleteEntry>, { caller }: Exchange) {
    const entry = await this.tree.get(caller.workspaceId, params.storageId);
    await this.tree.remove(caller.workspaceId, entry);
    return { message: `${entry.name} was deleted.` };
  }
}
