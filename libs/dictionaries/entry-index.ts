/** Finds the entry that a label means. Texts are folded. */
export interface EntryIndex {
  /** Place of the best entry in the list the index was made of; null when none is like the label. */
  find(folded: string): number | null;
  /** Bytes of memory that it takes, roughly. */
  readonly size: number;
}
