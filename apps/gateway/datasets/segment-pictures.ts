import { AditError, nullIfGone, type PictureRef } from '@adit/contracts';
import { JobEntity, SegmentEntity } from '@adit/database';
import type { ClassPlace } from '@adit/datasets';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import type { WithFile } from '../storage/upload-entries.js';
import { Uploads } from '../storage/uploads.js';
import { DatasetRows } from './dataset-rows.js';

/** A segment by its place among all of its job's. */
interface SegmentPlace {
  jobId: string;
  seq: number;
}

/** Saves the pictures of segments as files for images of datasets. */
@Injectable()
export class SegmentPictures {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(DatasetRows) private readonly rows: DatasetRows,
    @Inject(Uploads) private readonly uploads: Uploads,
  ) {}

  /**
   * Stores the picture of a segment beside those of the class, in one transaction with `use`. Throws VALIDATION when there is no
   * such segment, or it does not show what the dataset teaches.
   */
  async keep(
    { workspaceId, datasetId, classId }: ClassPlace,
    { jobId, seq }: SegmentPlace,
    use: WithFile,
  ): Promise<void> {
    const { type } = await this.rows.dataset(workspaceId, datasetId);
    const { key } = await this.pictureOf(workspaceId, { jobId, seq }, type);
    const bytes = await this.objects.read(key).catch(nullIfGone);
    if (bytes === null) throw refused('/segment_id', 'The picture of the segment is gone.');
    const place = { workspaceId, folder: `/datasets/${datasetId}/${classId}`, name: `${jobId}-${seq}.jpg` };
    await this.uploads.keep(place, bytes, 'image/jpeg', use);
  }

  /** A face is shown close by its thumbnail; a landmark by the whole frame. */
  private async pictureOf(workspaceId: string, { jobId, seq }: SegmentPlace, type: string): Promise<PictureRef> {
    const job = { id: jobId, workspaceId, timeDeleted: IsNull() };
    if (!(await this.db.manager.existsBy(JobEntity, job))) throw refused('/job_id', `There is no job ${jobId}.`);
    const segment = await this.db.manager.findOneBy(SegmentEntity, { jobId, seq });
    if (segment === null) throw refused('/segment_id', `The job has no segment ${seq}.`);
    if (segment.type !== type) {
      throw refused('/segment_id', `The segment is of a ${segment.type}; the dataset teaches a ${type}.`);
    }
    const picture = type === 'face' ? segment.thumbnail : (segment.keyFrame?.picture ?? null);
    if (picture === null) throw refused('/segment_id', 'The segment has no picture, or it was erased.');
    return picture;
  }
}

function refused(pointer: string, message: string): AditError {
  return new AditError('VALIDATION', message, { errors: [{ pointer, code: 'no_picture', message }] });
}
