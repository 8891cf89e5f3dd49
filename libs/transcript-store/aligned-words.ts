import { setImmediate as othersTurn } from 'node:timers/promises';
import type { ParagraphChange, TranscriptWord, VersionChange } from '@adit/contracts';
import { isUuid, TranscriptParagraphEntity } from '@adit/database';
import { editedWords } from '@adit/transcripts';
import { In, IsNull, type EntityManager } from 'typeorm';

/** Paragraphs that are read together: of the longest, they are a few megabytes. */
const READ_AT_ONCE = 50;

/** The words of a paragraph after a change. */
export function wordsAfter(row: TranscriptParagraphEntity, change: ParagraphChange): TranscriptWord[] {
  const { text = row.text, time_start = row.timeStart, time_end = row.timeEnd } = change;
  const before = { text: row.text, words: row.words, time_start: row.timeStart, time_end: row.timeEnd };
  return editedWords(before, text, { time_start, time_end });
}

/** Words that were aligned before the lock on the variant was taken, each for the revision of the paragraph that was read. */
export class AlignedWords {
  private readonly known = new Map<VersionChange, { revision: number; words: TranscriptWord[] }>();

  /** Aligns what a request changes of the paragraphs as they are now: seconds for many long ones, while others write. */
  static async of(manager: EntityManager, variantId: string, changes: readonly VersionChange[]): Promise<AlignedWords> {
    const aligned = new AlignedWords();
    const edits = changes.flatMap((change) => ('id' in change && !('remove' in change) ? [change] : []));
    for (let at = 0; at < edits.length; at += READ_AT_ONCE) {
      const some = edits.slice(at, at + READ_AT_ONCE).filter(({ id }) => isUuid(id));
      const ids = some.map(({ id }) => id.toLowerCase());
      const found = await manager.findBy(TranscriptParagraphEntity, { variantId, id: In(ids), toVersion: IsNull() });
      const rows = new Map(found.map((row) => [row.id, row]));
      for (const change of some) {
        const row = rows.get(change.id.toLowerCase());
        if (row === undefined) continue;
        aligned.known.set(change, { revision: row.fromVersion, words: wordsAfter(row, change) });
        // Long paragraphs take milliseconds each.
        await othersTurn();
      }
    }
    return aligned;
  }

  /** Those of a change to the paragraph, aligned now where it is another revision than the one that was read. */
  after(row: TranscriptParagraphEntity, change: VersionChange & ParagraphChange): TranscriptWord[] {
    const known = this.known.get(change);
    return known?.revision === row.fromVersion ? known.words : wordsAfter(row, change);
  }
}
