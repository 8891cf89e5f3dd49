/** Index that finds the entry for a label. Texts are folded. */
export interface EntryIndex {
  /** Returns the position of the best entry in the indexed list; null when none matches the label. */
  find(folded: string): number | null;
  /** Approximate bytes of memory. */
  readonly size: number;
}
