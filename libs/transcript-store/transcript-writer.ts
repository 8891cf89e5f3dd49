import { randomUUID } from 'node:crypto';
import {
  AditError,
  TRANSCRIPT_LIMITS,
  type ParagraphChange,
  type TranscriptParagraph,
  type VersionRequest,
} from '@adit/contracts';
import { isUuid, TranscriptVariantEntity, TranscriptVersionEntity, type Beside } from '@adit/database';
import { OutboxRelay } from '@adit/outbox';
import { forgetTexts, noteSearchable } from '@adit/search';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AlignedWords, wordsAfter } from './aligned-words.js';
import { deleteParagraphs, HeldBytes, jsonOf } from './paragraph-rows.js';
import { presentParagraph } from './present-transcript.js';
import { findTranscript, findVariant, findVersion, unknown, variantsOf } from './transcript-reader.js';
import { charge, transcriptQuota, type TranscriptBounds } from './transcript-quota.js';
import { changedSince, changesOf, commit, edited, indexOf, newest, restore, type Work } from './version-changes.js';

/** Which variant is written, by whom, and how much it may hold. */
export interface WritePlace extends TranscriptBounds {
  workspaceId: string;
  transcriptId: string;
  variantId: string;
  /** Name of the key. */
  author: string;
}

/** Preconditions of the client; null where it sent none. */
interface Seen {
  /** `If-Match`, compared with the newest version or the paragraph's revision. */
  ifMatch: ((current: number) => boolean) | null;
}

/**
 * Writes versions. One is written at a time of each variant, under the lock on its row; it takes rows for what it changes,
 * however many paragraphs there are. What somebody else changed since is never overwritten: CONFLICT, or PRECONDITION_FAILED
 * where the client named what it had seen.
 */
@Injectable()
export class TranscriptWriter {
  constructor(
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(DataSource) private readonly db: DataSource,
  ) {}

  /** A new version of one paragraph; none when nothing changes. `base` is the version that was read: its number or id. */
  editParagraph(
    place: WritePlace,
    { id, base, ifMatch }: { id: string; base: string } & Seen,
    change: ParagraphChange,
  ): Promise<TranscriptParagraph> {
    return this.outbox.transaction(async (manager) => {
      const work = await begin(manager, place);
      const { version } = await findVersion(manager, work.variant, base);
      const row = isUuid(id) ? await newest(work, id, version) : null;
      if (row === null) throw unknown('paragraph', id);
      if (ifMatch !== null && !ifMatch(row.fromVersion)) throw stale('paragraph', row.fromVersion);
      if (ifMatch === null && row.fromVersion > version) throw changedSince(id, row.fromVersion);
      const next = edited(row, change, work.number);
      const words = next === null ? row.words : wordsAfter(row, change);
      if (next !== null)
        await commit(work, { edits: [{ ...next, words: jsonOf(words) }], removed: [], insertions: [] });
      return presentParagraph({ ...(next ?? row), words }, await indexOf(work, id));
    });
  }

  /** A new version of changes, or of what an older one was. `id` is to be its id. */
  async write(
    place: WritePlace,
    request: VersionRequest,
    { ifMatch, id, beside }: Seen & { id?: string; beside?: Beside },
  ): Promise<TranscriptVersionEntity> {
    const aligned = await this.aligned(place, request, { ifMatch });
    return this.outbox.transaction(async (manager) => {
      await beside?.(manager);
      const work = await begin(manager, place, id);
      const { latestVersion } = work.variant;
      if (ifMatch !== null && !ifMatch(latestVersion)) throw stale('version', latestVersion);
      if (request.restore_version !== undefined) return restore(work, request.restore_version);
      const base = request.base_version ?? latestVersion;
      return commit(work, await changesOf(work, { requested: request.changes, base, aligned }));
    });
  }

  /** Before the lock: a thousand long paragraphs take half a minute, which nobody else's edit should wait for. */
  private async aligned(
    { workspaceId, transcriptId, variantId, ...bounds }: WritePlace,
    request: VersionRequest,
    { ifMatch }: Seen,
  ): Promise<AlignedWords> {
    const { manager } = this.db;
    const transcript = await findTranscript(manager, workspaceId, transcriptId);
    const variant = await findVariant(manager, transcript.id, variantId);
    if (ifMatch !== null && !ifMatch(variant.latestVersion)) throw stale('version', variant.latestVersion);
    const changes = request.restore_version === undefined ? request.changes : [];
    const quota = await transcriptQuota(manager, workspaceId, bounds);
    const held = await HeldBytes.of(manager, variant, bounds.mostBytes, quota);
    return AlignedWords.of(manager, { variantId: variant.id, changes, held });
  }

  /** Forgets a version with what no other one has. Throws CONFLICT for the only one. */
  remove(place: WritePlace, version: string): Promise<TranscriptVersionEntity> {
    return this.outbox.transaction(async (manager) => {
      const { variant, transcript, held } = await lock(manager, place);
      const row = await findVersion(manager, variant, version);
      const variantId = variant.id;
      await manager.delete(TranscriptVersionEntity, { variantId, version: row.version });
      const before = await manager.findOne(TranscriptVersionEntity, {
        where: { variantId },
        order: { version: 'DESC' },
      });
      if (before === null) {
        throw new AditError(
          'CONFLICT',
          `Version ${row.version} is the only one: delete the variant or the transcript.`,
        );
      }
      if (row.version === variant.latestVersion) {
        // Rows that it began are deleted and rows that it ended are reopened. Its number is not used again.
        await deleteParagraphs(manager, held, 'p.variant_id = $1 AND p.from_version > $2', [variantId, before.version]);
        await manager.query(
          'UPDATE transcript_paragraphs SET to_version = NULL WHERE variant_id = $1 AND to_version > $2',
          [variantId, before.version],
        );
      } else {
        await deleteParagraphs(
          manager,
          held,
          `p.variant_id = $1 AND p.from_version <= $2 AND p.to_version > $2
              AND NOT EXISTS (SELECT 1 FROM transcript_versions v
                               WHERE v.variant_id = $1 AND v.version >= p.from_version AND v.version < p.to_version)`,
          [variantId, row.version],
        );
      }
      await manager.update(
        TranscriptVariantEntity,
        { id: variantId },
        { latestVersion: before.version, bytes: held.bytes },
      );
      await noteSearchable(manager, [variant.jobId]);
      await charge(manager, transcript, null);
      return row;
    });
  }

  /**
   * Nobody finds the variant when this resolves, and nobody writes it: its id is for `TranscriptErasures`. Throws CONFLICT for
   * the original.
   */
  removeVariant(workspaceId: string, transcriptId: string, variantId: string): Promise<TranscriptVariantEntity> {
    return this.outbox.transaction(async (manager) => {
      const transcript = await findTranscript(manager, workspaceId, transcriptId);
      const variant = await findVariant(manager, transcript.id, variantId, 'pessimistic_write');
      const { id } = variant;
      const original = await manager.findOne(TranscriptVariantEntity, variantsOf(transcript.id));
      if (original?.id === id) {
        const message = `The variant ${id} is the original, what was said: it goes with the transcript alone.`;
        throw new AditError('CONFLICT', message, { errors: [{ pointer: '', code: 'original_variant', message }] });
      }
      await forgetTexts(manager, { jobId: transcript.jobId, variantIds: [id] });
      await manager.update(TranscriptVariantEntity, { id }, { timeDeleted: new Date() });
      await charge(manager, transcript, null);
      return variant;
    });
  }
}

/** Begins a version under the lock. Throws NOT_FOUND, CONFLICT when there are too many versions. */
async function begin(manager: EntityManager, place: WritePlace, id: string = randomUUID()): Promise<Work> {
  const { author, mostBytes, workspaceBytes, storageBytes } = place;
  const locked = await lock(manager, place);
  const number = locked.variant.lastNumber + 1;
  if (number > TRANSCRIPT_LIMITS.versions) {
    throw new AditError('CONFLICT', `A variant takes ${TRANSCRIPT_LIMITS.versions} versions; copy it to go on.`);
  }
  return { manager, ...locked, bounds: { mostBytes, workspaceBytes, storageBytes }, id, number, author };
}

/** Throws NOT_FOUND. */
async function lock(
  manager: EntityManager,
  { workspaceId, transcriptId, variantId, mostBytes }: WritePlace,
): Promise<Pick<Work, 'transcript' | 'variant' | 'held'>> {
  const transcript = await findTranscript(manager, workspaceId, transcriptId);
  const variant = await findVariant(manager, transcript.id, variantId, 'pessimistic_write');
  return { transcript, variant, held: await HeldBytes.of(manager, variant, mostBytes) };
}

function stale(what: string, current: number): AditError {
  return new AditError(
    'PRECONDITION_FAILED',
    `Somebody has changed the ${what} since: it is at version ${current} now. Read it again.`,
  );
}
