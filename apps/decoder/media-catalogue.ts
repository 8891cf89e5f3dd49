import type { FrameInterval, MediaFacts } from '@adit/contracts';
import { MediaEntity } from '@adit/database';
import { cacheExpiry, frameIndexKey } from '@adit/jobs';
import { FrameIndex, planGrid, probeMedia } from '@adit/media';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** A film or picture as the probe knows it. */
export interface KnownMedia {
  digest: string;
  facts: MediaFacts;
  /** Null for images. */
  film: { grid: FrameInterval[]; index: FrameIndex } | null;
}

/** What the probe found, by the digest of the bytes: known media is not probed again. */
@Injectable()
export class MediaCatalogue {
  /** The frame indexes used last: every chunk of a film needs the same one. */
  private readonly recent = new Map<string, FrameIndex>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {}

  /** Throws MEDIA_INVALID for what cannot be mined. */
  async identify(workspaceId: string, file: { path: string; digest: string }): Promise<KnownMedia> {
    const known = await this.db.manager.findOneBy(MediaEntity, { workspaceId, digest: file.digest });
    if (known !== null && (known.grid === null || known.indexKey !== null)) {
      const film =
        known.grid === null ? null : { grid: known.grid, index: await this.frameIndex(workspaceId, file.digest) };
      return { digest: file.digest, facts: known.facts, film };
    }
    const { facts, index } = await probeMedia(file.path);
    const film = facts.kind === 'video' && index !== null ? { grid: planGrid(facts, index), index } : null;
    const indexKey = film === null ? null : frameIndexKey(workspaceId, file.digest);
    if (film !== null && indexKey !== null) {
      await this.objects.put(indexKey, film.index.encode());
      this.remember(indexKey, film.index);
    }
    await this.db.manager.upsert(
      MediaEntity,
      { workspaceId, digest: file.digest, facts, grid: film?.grid ?? null, indexKey, timeExpires: cacheExpiry() },
      ['workspaceId', 'digest'],
    );
    return { digest: file.digest, facts, film };
  }

  /** The index of a film that was identified before. Throws NOT_FOUND when it has expired. */
  async frameIndex(workspaceId: string, digest: string): Promise<FrameIndex> {
    const key = frameIndexKey(workspaceId, digest);
    const index = this.recent.get(key) ?? FrameIndex.decode(await this.objects.read(key));
    this.remember(key, index);
    return index;
  }

  private remember(key: string, index: FrameIndex): void {
    this.recent.delete(key);
    this.recent.set(key, index);
    if (this.recent.size > 8) this.recent.delete(this.recent.keys().next().value!);
  }
}
