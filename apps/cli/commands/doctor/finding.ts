/** What the doctor says of one thing. */
export interface Finding {
  state: 'good' | 'warning' | 'bad';
  what: string;
  /** What to do about it. */
  advice?: string;
}
