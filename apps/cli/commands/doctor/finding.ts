/** One result of the doctor. */
export interface Finding {
  state: 'good' | 'warning' | 'bad';
  what: string;
  /** The remedy. */
  advice?: string;
}
