import { dropOldest, nullIfGone } from '@adit/contracts';
import { FrameIndex } from '@adit/media';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Number of indexes in memory; those of the longest films take some tens of megabytes each. */
const KEPT = 2;

/** Frame indexes of films, as stored by the probe: they map times of sound to frames. */
@Injectable()
export class FilmFrames {
  private readonly recent = new Map<string, FrameIndex>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {}

  /** Returns the index; null when it is no longer stored. Throws UNAVAILABLE. */
  async of(jobId: string, sourceIndex: number): Promise<FrameIndex | null> {
    const [row]: { key: string | null }[] = await this.db.query(
      `SELECT m.index_key AS key FROM job_sources s JOIN jobs j ON j.id = s.job_id
         JOIN media m ON m.workspace_id = j.workspace_id AND m.digest = s.media_digest
        WHERE s.job_id = $1 AND s.index = $2`,
      [jobId, sourceIndex],
    );
    const key = row?.key ?? null;
    if (key === null) return null;
    let index = this.recent.get(key);
    if (index === undefined) {
      const stored = await this.objects.read(key).catch(nullIfGone);
      if (stored === null) return null;
      index = FrameIndex.decode(stored);
    }
    this.recent.delete(key);
    this.recent.set(key, index);
    dropOldest(this.recent, KEPT);
    return index;
  }
}
