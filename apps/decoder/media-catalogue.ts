import { dirname } from 'node:path';
import {
  AditError,
  AUDIO_DECODER_VERSION,
  type AudioInterval,
  dropOldest,
  nullIfGone,
  type FrameInterval,
  type MediaFacts,
} from '@adit/contracts';
import { MediaEntity } from '@adit/database';
import { frameIndexKey, noteMedia, setAudioGrid, setFrameIndex, touchMedia } from '@adit/jobs';
import {
  audioPieces,
  FrameIndex,
  planAudioGrid,
  planGrid,
  probeMedia,
  tracksEnd,
  type DecodedAudio,
} from '@adit/media';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DECODER_CONFIG, type DecoderConfig } from './config.js';
import { MemoryAdmission } from './memory-admission.js';

/** The length of sound depends on the audio decoder's version. */
function isOutdated({ audioGrid }: MediaEntity): boolean {
  return audioGrid !== null && audioGrid.decoder < AUDIO_DECODER_VERSION;
}

interface MediaFile {
  path: string;
  /** SHA-256 of its bytes. */
  digest: string;
  /** Digest of the whole file, of which it is a part. */
  partOf?: string;
}

/** A film or picture with its probed facts. */
export interface KnownMedia {
  digest: string;
  facts: MediaFacts;
  /** Null for media without frames. */
  film: { grid: FrameInterval[]; index: FrameIndex } | null;
}

/** Probed facts by the digest of the bytes: known media is not probed again. */
@Injectable()
export class MediaCatalogue {
  /** Cache of the most recent frame indexes: every chunk of a film needs the same one. */
  private readonly recent = new Map<string, FrameIndex>();
  /** The most recent media that was looked at and not written: clips of one film come one after the other. */
  private readonly consulted = new Map<string, KnownMedia>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(DECODER_CONFIG) private readonly limits: DecoderConfig,
    @Inject(MemoryAdmission) private readonly memory: MemoryAdmission,
  ) {}

  /** Throws MEDIA_INVALID for media that cannot be mined. */
  async identify(workspaceId: string, file: MediaFile, signal?: AbortSignal): Promise<KnownMedia> {
    return (await this.knownMedia(workspaceId, file.digest)) ?? this.probe(workspaceId, file, signal);
  }

  /**
   * The same for a file that no running job mines, such as that of a clip: of media that is not known, because it has
   * expired or was erased, nothing is written. Throws MEDIA_INVALID.
   */
  async consult(workspaceId: string, file: MediaFile, signal?: AbortSignal): Promise<KnownMedia> {
    const known = await this.knownMedia(workspaceId, file.digest);
    if (known !== null) return known;
    const key = `${workspaceId}/${file.digest}`;
    const consulted = this.consulted.get(key) ?? (await this.probed(file, signal));
    this.consulted.delete(key);
    this.consulted.set(key, consulted);
    dropOldest(this.consulted, 4);
    return consulted;
  }

  private async knownMedia(workspaceId: string, digest: string): Promise<KnownMedia | null> {
    const known = await this.db.manager.findOneBy(MediaEntity, { workspaceId, digest });
    if (known === null || isOutdated(known)) return null;
    await touchMedia(this.db, known);
    if (known.grid === null) return { digest, facts: known.facts, film: null };
    const index = await this.storedIndex(known);
    return index === null ? null : { digest, facts: known.facts, film: { grid: known.grid, index } };
  }

  /** Returns the index of an identified film; a lost one is rebuilt. Throws MEDIA_INVALID. */
  async frameIndex(workspaceId: string, file: MediaFile, signal?: AbortSignal): Promise<FrameIndex> {
    const { digest } = file;
    const recent = this.recent.get(`${workspaceId}/${digest}`);
    if (recent !== undefined) return recent;
    const known = await this.db.manager.findOneBy(MediaEntity, { workspaceId, digest });
    const index = known === null ? null : await this.storedIndex(known);
    if (index !== null) return index;
    const { film } = await this.probe(workspaceId, file, signal);
    if (film === null) throw new AditError('MEDIA_INVALID', 'it is no film any more');
    return film.index;
  }

  /**
   * Returns the chunk grid of identified media's sound; null for a film without sound. `decoded` yields it at
   * PLANNING_RATE in mono, and is called when it has not been planned before. Throws MEDIA_INVALID for sound that
   * cannot be decoded.
   */
  async audioGrid(
    workspaceId: string,
    { digest, facts }: KnownMedia,
    decoded: () => Promise<DecodedAudio>,
  ): Promise<AudioInterval[] | null> {
    if (facts.kind === 'image' || facts.kind === 'pdf') return null;
    if (facts.kind === 'video' && facts.audioStreams.length === 0) return null;
    const known = await this.db.manager.findOneBy(MediaEntity, { workspaceId, digest });
    if (known?.audioGrid?.decoder === AUDIO_DECODER_VERSION) return known.audioGrid.intervals;
    const intervals = await planAudioGrid(audioPieces(await decoded()), {
      limits: this.limits,
      leastSeconds: tracksEnd(facts),
    });
    const audioGrid = { decoder: AUDIO_DECODER_VERSION, intervals };
    await setAudioGrid(this.db, { workspaceId, digest }, audioGrid);
    return intervals;
  }

  private async probed(file: MediaFile, signal?: AbortSignal): Promise<KnownMedia> {
    const { facts, index } = await probeMedia(file.path, {
      film: this.limits,
      signal,
      // In the file's folder, so that remains of a killed process are removed with it.
      directory: dirname(file.path),
      admit: (bytes, work) => this.memory.admit(bytes, work, signal),
    });
    const isFilm = facts.kind === 'video' && index !== null;
    return { digest: file.digest, facts, film: isFilm ? { grid: planGrid(index, this.limits), index } : null };
  }

  private async probe(workspaceId: string, file: MediaFile, signal?: AbortSignal): Promise<KnownMedia> {
    const { digest, facts, film } = await this.probed(file, signal);
    const { partOf = null } = file;
    const generation = await noteMedia(this.db, { workspaceId, digest, partOf, facts, grid: film?.grid ?? null });
    if (film !== null) {
      const indexKey = frameIndexKey(workspaceId, digest, generation);
      await this.objects.put(indexKey, film.index.encode());
      await setFrameIndex(this.db, { workspaceId, digest, generation }, indexKey);
      this.remember(workspaceId, digest, film.index);
    }
    return { digest, facts, film };
  }

  /** Null when it has gone. */
  private async storedIndex({ workspaceId, digest, indexKey }: MediaEntity): Promise<FrameIndex | null> {
    if (indexKey === null) return null;
    let index = this.recent.get(`${workspaceId}/${digest}`);
    if (index === undefined) {
      const stored = await this.objects.read(indexKey).catch(nullIfGone);
      if (stored === null) return null;
      index = FrameIndex.decode(stored);
    }
    this.remember(workspaceId, digest, index);
    return index;
  }

  private remember(workspaceId: string, digest: string, index: FrameIndex): void {
    const key = `${workspaceId}/${digest}`;
    this.recent.delete(key);
    this.recent.set(key, index);
    dropOldest(this.recent, 8);
  }
}
