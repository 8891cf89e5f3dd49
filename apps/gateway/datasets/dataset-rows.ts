import { AditError } from '@adit/contracts';
import {
  columnSelection,
  columnsOf,
  DatasetClassEntity,
  DatasetEntity,
  DatasetImageEntity,
  isUuid,
} from '@adit/database';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, MoreThan, type EntityManager, type FindOperator } from 'typeorm';

/** The rows behind the paths of datasets, classes and images. What is another workspace's is not there. */
@Injectable()
export class DatasetRows {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Throws NOT_FOUND. */
  async dataset(workspaceId: string, id: string): Promise<DatasetEntity> {
    const where = { id, workspaceId, timeDeleted: IsNull() };
    const row = isUuid(id) ? await this.db.manager.findOneBy(DatasetEntity, where) : null;
    if (row === null) throw new AditError('NOT_FOUND', `There is no dataset ${id}.`);
    return row;
  }

  /** Throws NOT_FOUND. */
  async class(workspaceId: string, datasetId: string, id: string): Promise<DatasetClassEntity> {
    await this.dataset(workspaceId, datasetId);
    const where = { id, datasetId, workspaceId, timeDeleted: IsNull() };
    const row = isUuid(id) ? await this.db.manager.findOneBy(DatasetClassEntity, where) : null;
    if (row === null) throw new AditError('NOT_FOUND', `There is no class ${id}.`);
    return row;
  }

  /** Returns an image of an existing class. Throws NOT_FOUND. */
  async image(classId: string, id: string, manager: EntityManager = this.db.manager): Promise<DatasetImageEntity> {
    const row = isUuid(id) ? await manager.findOneBy(DatasetImageEntity, { id, classId }) : null;
    if (row === null) throw new AditError('NOT_FOUND', `There is no image ${id}.`);
    return row;
  }

  /** The first image of each class that has one. */
  async previews(classIds: readonly string[]): Promise<Map<string, DatasetImageEntity>> {
    const rows: DatasetImageEntity[] = await this.db.query(
      `SELECT i.* FROM unnest($1::uuid[]) AS c(id) CROSS JOIN LATERAL (
         SELECT ${columnSelection(columnsOf(DatasetImageEntity), 'image')}
           FROM dataset_images image WHERE image.class_id = c.id ORDER BY image.seq LIMIT 1) i`,
      [classIds],
    );
    return new Map(rows.map((row) => [row.classId, row]));
  }
}

/** The condition of a list's rows that come after this one; none where it begins. */
export function behind(after: { seq: string } | null): { seq?: FindOperator<string> } {
  return after === null ? {} : { seq: MoreThan(after.seq) };
}
