import type { Figures } from './figures.js';

/** A version of a model on labelled pictures, and the one in use beside it. */
export interface Evaluation {
  model: string;
  kind: 'detector' | 'classifier';
  /** What the pictures are, for a person. */
  images: string;
  /** When it ended, ISO 8601. */
  time: string;
  /** 0..1: what a model is as sure of counts as said. */
  threshold: number;
  /** The one that was asked for first. */
  versions: { version: number; isInUse: boolean; figures: Figures }[];
  leftOut: LeftOut;
}

/** What was not judged, and why. */
export interface LeftOut {
  /** Labels that no version knows, with how many boxes or pictures have them; the most first. */
  unknownLabels: { label: string; count: number }[];
  /** Listed and not there. */
  missing: string[];
  /** No picture that the service takes. */
  unreadable: { name: string; message: string }[];
  /** Of several labels, where a classifier gives one. */
  ambiguous: string[];
}
