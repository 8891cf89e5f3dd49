import type { Paragraph, Paragraphs } from './paragraph.js';

export interface Voice {
  id: string;
  /** Number of the word; -1 before the first. */
  word: number;
}

/** Finds the word that is spoken at a time. Each list of paragraphs has its own index. */
export class VoiceIndex {
  private readonly byStart: Paragraph[];

  constructor(paragraphs: Paragraphs) {
    this.byStart = paragraphs.toSorted((a, b) => a.time_start - b.time_start);
  }

  /** The paragraph that began last, while it lasts; null between paragraphs. */
  at(seconds: number): Voice | null {
    const paragraph = this.byStart[lastBefore(this.byStart, seconds)];
    if (paragraph === undefined || seconds > paragraph.time_end) return null;
    return { id: paragraph.id, word: lastBefore(paragraph.words, seconds) };
  }
}

/** Index of the last item that has begun; -1 for none. Items are in order. */
function lastBefore(items: readonly { time_start: number }[], seconds: number): number {
  let [from, to] = [0, items.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((items[middle]?.time_start ?? Infinity) <= seconds) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}
