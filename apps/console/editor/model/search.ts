import type { Paragraphs } from './paragraph.js';

export interface Hit {
  id: string;
  /** Within the text, in UTF-16 units; `from` = `to`: the speaker's name alone matched. */
  from: number;
  to: number;
}

/** Finds all occurrences of a text, in order and without regard to case. */
export function find(paragraphs: Paragraphs, sought: string): Hit[] {
  const query = sought.trim();
  if (query === '') return [];
  const pattern = new RegExp(query.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+'), 'giu');
  const hits: Hit[] = [];
  for (const { id, text, speaker } of paragraphs) {
    const before = hits.length;
    for (const match of text.matchAll(pattern)) hits.push({ id, from: match.index, to: match.index + match[0].length });
    if (hits.length === before && speaker !== null && speaker.search(pattern) >= 0) hits.push({ id, from: 0, to: 0 });
  }
  return hits;
}
