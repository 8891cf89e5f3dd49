import { setImmediate as yieldToOthers } from 'node:timers/promises';
import {
  AditError,
  TRANSCRIPT_LIMITS,
  type ParagraphChange,
  type ParagraphInsertion,
  type TranscriptWord,
  type VersionChange,
} from '@adit/contracts';
import { isUuid, TranscriptParagraphEntity } from '@adit/database';
import { editedWords } from '@adit/transcripts';
import { In, IsNull, type EntityManager } from 'typeorm';
import { jsonOf, type HeldBytes } from './paragraph-rows.js';

/** Paragraphs that are read together: of the longest, they are a few megabytes. */
const READ_BATCH = 50;

type Timed = Pick<TranscriptParagraphEntity, 'text' | 'words' | 'timeStart' | 'timeEnd'>;
type Alone = Omit<TranscriptParagraphEntity, 'words'>;

/** True if the change alters the paragraph. */
export function isChanged(row: Alone, change: ParagraphChange): boolean {
  const {
    text = row.text,
    speaker = row.speaker,
    time_start: start = row.timeStart,
    time_end: end = row.timeEnd,
  } = change;
  return text !== row.text || speaker !== row.speaker || start !== row.timeStart || end !== row.timeEnd;
}

/**
 * The words of a paragraph after a change. Throws VALIDATION at the pointer when they are too many. One that has more already, as
 * builds took it that counted what lies between blanks, may keep as many.
 */
export function wordsAfter(row: Timed, change: ParagraphChange, pointer = ''): TranscriptWord[] {
  const { text = row.text, time_start = row.timeStart, time_end = row.timeEnd } = change;
  const before = { text: row.text, words: row.words, time_start: row.timeStart, time_end: row.timeEnd };
  const words = editedWords(before, text, { time_start, time_end });
  const most = Math.max(TRANSCRIPT_LIMITS.words, row.words.length);
  if (text !== row.text && words.length > most) {
    const message =
      `A paragraph has at most ${most} words and this one ${words.length}, ` +
      'where words that no blank parts (Chinese, Japanese, Thai) count each: make several of it.';
    throw new AditError('VALIDATION', message, { errors: [{ pointer: `${pointer}/text`, code: 'too_big', message }] });
  }
  return words;
}

/** Words that were aligned before the lock on the variant was taken, each for the revision of the paragraph that was read. */
export class AlignedWords {
  /** As JSON, which takes a third of the memory. What is inserted has no revision. */
  private readonly known = new Map<VersionChange, { revision: number | null; words: Buffer }>();

  /**
   * Aligns what a request changes of the paragraphs as they are now: seconds for many long ones, while others write. Throws
   * VALIDATION for too many words, CONFLICT as soon as they exceed the quota.
   *
   * @param held bytes of the variant as it is now; what is taken of them counts nowhere else.
   */
  static async of(
    manager: EntityManager,
    { variantId, changes, held }: { variantId: string; changes: readonly VersionChange[]; held: HeldBytes },
  ): Promise<AlignedWords> {
    const aligned = new AlignedWords();
    const keep = async (change: VersionChange, revision: number | null, words: TranscriptWord[]): Promise<void> => {
      const json = jsonOf(words);
      held.take(json.byteLength);
      aligned.known.set(change, { revision, words: json });
      // Long paragraphs take milliseconds each.
      await yieldToOthers();
    };
    const edits = changes.flatMap((change, at) =>
      'id' in change && !('remove' in change) && isUuid(change.id) ? [{ change, at }] : [],
    );
    for (let from = 0; from < edits.length; from += READ_BATCH) {
      const some = edits.slice(from, from + READ_BATCH);
      const ids = some.map(({ change }) => change.id.toLowerCase());
      const found = await manager.findBy(TranscriptParagraphEntity, { variantId, id: In(ids), toVersion: IsNull() });
      const rows = new Map(found.map((row) => [row.id, row]));
      for (const { change, at } of some) {
        const row = rows.get(change.id.toLowerCase());
        if (row === undefined || !isChanged(row, change)) continue;
        await keep(change, row.fromVersion, wordsAfter(row, change, `/changes/${at}`));
      }
    }
    for (const [at, change] of changes.entries()) {
      if ('after' in change) await keep(change, null, wordsOfNew(change, `/changes/${at}`));
    }
    return aligned;
  }

  /** Those of a change to the paragraph, aligned now where it is another revision than the one that was read. */
  async after(
    manager: EntityManager,
    { variantId, id, fromVersion }: Alone,
    change: VersionChange & ParagraphChange,
    pointer: string,
  ): Promise<Buffer> {
    const known = this.known.get(change);
    if (known?.revision === fromVersion) return known.words;
    await yieldToOthers();
    const row = await manager.findOneByOrFail(TranscriptParagraphEntity, { variantId, id, fromVersion });
    return jsonOf(wordsAfter(row, change, pointer));
  }

  ofNew(insertion: ParagraphInsertion, pointer: string): Buffer {
    return this.known.get(insertion)?.words ?? jsonOf(wordsOfNew(insertion, pointer));
  }
}

function wordsOfNew(insertion: ParagraphInsertion, pointer: string): TranscriptWord[] {
  const { time_start: timeStart, time_end: timeEnd } = insertion;
  return wordsAfter({ text: '', words: [], timeStart, timeEnd }, insertion, pointer);
}
