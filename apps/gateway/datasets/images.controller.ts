import { AditError, type DatasetImage, type ImageChange } from '@adit/contracts';
import { createdWithin, DatasetImageEntity, inTransaction, readPage } from '@adit/database';
import {
  changeImage,
  insertImagesWithin,
  lockClass,
  lockClasses,
  moveImage,
  presentImage,
  removeImage,
  type NewImage,
} from '@adit/datasets';
import { FileRemovals, keyOfFile } from '@adit/storage';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { Links } from '../http/links.js';
import { longList } from '../http/long-lists.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { askedPage } from '../http/shapes.js';
import { behind, DatasetRows } from './dataset-rows.js';
import { FileThumbnails } from '../storage/file-thumbnails.js';
import { ImageFiles } from './image-files.js';
import * as routes from './image-routes.js';
import { SegmentPictures } from './segment-pictures.js';

@Controller()
export class ImagesController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(DatasetRows) private readonly rows: DatasetRows,
    @Inject(ImageFiles) private readonly files: ImageFiles,
    @Inject(FileThumbnails) private readonly thumbnails: FileThumbnails,
    @Inject(SegmentPictures) private readonly segments: SegmentPictures,
    @Inject(FileRemovals) private readonly removals: FileRemovals,
    @Inject(Links) private readonly links: Links,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Route(routes.listImages)
  async list({ params, query }: Input<typeof routes.listImages>, { caller, request, reply }: Exchange) {
    const { id: classId, images } = await this.rows.class(caller.workspaceId, params.datasetId, params.classId);
    const where: FindOptionsWhere<DatasetImageEntity> = { classId };
    if (query.active !== undefined) where.active = query.active;
    if (query.face_clustering !== undefined) where.clustering = query.face_clustering;
    const created = createdWithin(query);
    if (created !== null) where.timeCreated = created;
    const page = askedPage(query);
    if (page === null) {
      const order = { seq: 'ASC' } as const;
      const read = (after: DatasetImageEntity | null, take: number) =>
        this.db.manager.find(DatasetImageEntity, { where: { ...where, ...behind(after) }, order, take });
      return longList(reply, read, (rows) => Promise.resolve(rows.map(presentImage)));
    }
    const matching = this.db.manager.createQueryBuilder(DatasetImageEntity, 'i').where(where);
    // The class keeps count of all of them.
    const counted = Object.keys(where).length === 1 ? { total: images } : {};
    const { rows, total, next } = await readPage(matching, page, [{ by: 'i.seq', kind: 'number' }], counted);
    return this.links.page(request, page, total, rows.map(presentImage), next);
  }

  @Route(routes.createImage)
  async create({ params, body }: Input<typeof routes.createImage>, exchange: Exchange) {
    const { request, newId: id, isDone, done } = exchange;
    const { workspaceId } = exchange.caller;
    const { id: classId, datasetId } = await this.rows.class(workspaceId, params.datasetId, params.classId);
    if (isDone) return presentImage(await this.rows.image(classId, id));
    const place = { workspaceId, datasetId, classId };
    const insert = async (manager: EntityManager, image: Omit<NewImage, 'id'>): Promise<void> => {
      await done(manager);
      await insertImagesWithin(manager, place, [{ id, ...image }], this.config.maxDatasetImages);
    };
    if (body === undefined) {
      await this.files.receive(place, request, (manager, fields) => insert(manager, { ownsFile: true, ...fields }));
    } else {
      const { file_uri: uri, job_id: jobId, segment_id: seq, active, notes } = body;
      if (jobId !== undefined && seq !== undefined) {
        await this.segments.keep(place, { jobId, seq }, (manager, file) =>
          insert(manager, { storageKey: keyOfFile(file), ownsFile: true, active, notes }),
        );
      } else {
        const image = { storageKey: await this.files.keyOf(workspaceId, uri ?? ''), ownsFile: false, active, notes };
        await inTransaction(this.db, (manager) => insert(manager, image));
      }
    }
    return presentImage(await this.rows.image(classId, id));
  }

  @Route(routes.getImage)
  async one({ params }: Input<typeof routes.getImage>, { caller }: Exchange) {
    const { id } = await this.rows.class(caller.workspaceId, params.datasetId, params.classId);
    return presentImage(await this.rows.image(id, params.imageId));
  }

  @Route(routes.imageThumbnail)
  async thumbnail({ params }: Input<typeof routes.imageThumbnail>, exchange: Exchange) {
    const { id } = await this.rows.class(exchange.caller.workspaceId, params.datasetId, params.classId);
    return this.thumbnails.sendFile((await this.rows.image(id, params.imageId)).storageKey, exchange);
  }

  @Route(routes.replaceImage)
  replace({ params, body }: Input<typeof routes.replaceImage>, { caller }: Exchange) {
    return this.changed(caller.workspaceId, params, body);
  }

  @Route(routes.changeImage)
  change({ params, body }: Input<typeof routes.changeImage>, { caller }: Exchange) {
    return this.changed(caller.workspaceId, params, body);
  }

  @Route(routes.deleteImage)
  async delete({ params }: Input<typeof routes.deleteImage>, { caller: { workspaceId } }: Exchange) {
    await inTransaction(this.db, async (manager) => {
      const { id } = await lockClass(manager, { workspaceId, ...params });
      await removeImage(manager, await this.rows.image(id, params.imageId, manager));
    });
    await this.removals.drain();
    return { message: `The image ${params.imageId} was deleted.` };
  }

  private async changed(
    workspaceId: string,
    params: { datasetId: string; classId: string; imageId: string },
    { file_uri: uri, active, notes, class_id: target = params.classId }: ImageChange,
  ): Promise<DatasetImage> {
    const storageKey = uri === undefined ? undefined : await this.files.keyOf(workspaceId, uri);
    const image = await inTransaction(this.db, async (manager) => {
      const place = { workspaceId, ...params };
      if (target === params.classId) await lockClass(manager, place);
      else await lockClasses(manager, place, target);
      const before = await this.imageIn([params.classId, target], params.imageId, manager);
      await changeImage(manager, before, { active, notes, storageKey });
      if (before.classId !== target) await moveImage(manager, before, target);
      return this.rows.image(target, params.imageId, manager);
    });
    if (storageKey !== undefined) await this.removals.drain();
    return presentImage(image);
  }

  /** The image in one of these classes: a change that is sent again finds it where the first one has moved it. */
  private async imageIn([classId, target]: [string, string], id: string, manager: EntityManager) {
    try {
      return await this.rows.image(classId, id, manager);
    } catch (error) {
      if (classId === target || AditError.from(error).code !== 'NOT_FOUND') throw error;
      return this.rows.image(target, id, manager);
    }
  }
}
