import type { Figures } from './figures.js';

/** Results of a version of a model on labelled pictures, compared with the one in use. */
export interface Evaluation {
  model: string;
  kind: 'detector' | 'classifier';
  /** Description of the pictures, for people. */
  images: string;
  /** Time of its end, ISO 8601. */
  time: string;
  /** Confidence, 0..1, from which findings count. */
  threshold: number;
  /** The requested version comes first. */
  versions: { version: number; isInUse: boolean; figures: Figures }[];
  leftOut: LeftOut;
}

/** Skipped items with reasons. */
export interface LeftOut {
  /** Labels that no version knows, with the number of their boxes or pictures; the most frequent first. */
  unknownLabels: { label: string; count: number }[];
  /** Listed but missing files. */
  missing: string[];
  /** Files that are no accepted picture. */
  unreadable: { name: string; message: string }[];
  /** Pictures with several labels, for a classifier. */
  ambiguous: string[];
}
