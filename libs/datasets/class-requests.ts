import type { ClassFace, ComparedClass } from './cluster-faces.js';

/** Request to `class-worker.ts`: drop unneeded classes, then compare one. */
export interface ClassRequest {
  forget: readonly string[];
  id: string;
  /** Number of known, unchanged images; further known ones are dropped. */
  known: number;
  /** The following faces. */
  faces: readonly ClassFace[];
}

/** `compared` is the number of face comparisons for this request. */
export type ClassReply = ComparedClass & { compared: number };
