import { AditError, type Artifact, type PageQuery } from '@adit/contracts';
import { ArtifactEntity, isUuid, JobSourceEntity, readPage, type FoundPage } from '@adit/database';
import { sourceName } from '@adit/module-kit';
import { nameOfSource, presentArtifact } from '@adit/presentation';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, MoreThan } from 'typeorm';
import type { SentObject } from '../http/send-object.js';

/** Owner of an artifact. */
type ArtifactOwner = { jobId: string } | { exportId: string };

/** The files of jobs and exports, as long as they are kept. */
@Injectable()
export class Artifacts {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  async list(
    owner: ArtifactOwner,
    page: PageQuery,
  ): Promise<Pick<FoundPage<never>, 'total' | 'next'> & { data: Artifact[] }> {
    const found = this.db.manager
      .createQueryBuilder(ArtifactEntity, 'a')
      .where({ ...owner, timeExpiration: MoreThan(new Date()) });
    const { rows, total, next } = await readPage(found, page, [
      { by: 'a.timeCreated', kind: 'time' },
      { by: 'a.id', kind: 'uuid' },
    ]);
    return { total, next, data: rows.map(presentArtifact) };
  }

  /** Throws NOT_FOUND, also for an artifact of another owner or one whose time is over. */
  async get(owner: ArtifactOwner, id: string): Promise<ArtifactEntity> {
    const where = { ...owner, id, timeExpiration: MoreThan(new Date()) };
    const artifact = isUuid(id) ? await this.db.manager.findOneBy(ArtifactEntity, where) : null;
    if (artifact === null) throw new AditError('NOT_FOUND', `There is no artifact ${id} here.`);
    return artifact;
  }

  /** `evening-report.html`: a job's file under the name of its source, or of the first with how many there are more. */
  async nameAfterSources(jobId: string, filename: string): Promise<string> {
    const { manager } = this.db;
    const first = await manager.findOneBy(JobSourceEntity, { jobId, index: 0 });
    const more = (await manager.countBy(JobSourceEntity, { jobId })) - 1;
    const name = first === null ? '' : sourceName(nameOfSource(first.uri, first.name));
    return [name, ...(more > 0 ? [`and-${more}-more`] : []), filename].filter((part) => part !== '').join('-');
  }

  /** Sends an artifact. */
  file({ id, objectKey, filename, mimeType, size }: ArtifactEntity): SentObject {
    return { key: objectKey, filename, contentType: mimeType, size: Number(size), etag: id, disposition: 'attachment' };
  }
}
