import type { ClassFace, ComparedClass } from './cluster-faces.js';

/** What `class-worker.ts` is asked for: the classes it no longer needs go, then one is compared. */
export interface ClassRequest {
  forget: readonly string[];
  id: string;
  /** How many of its images are known and have not changed; what is known beyond them is forgotten. */
  known: number;
  /** Those that follow. */
  faces: readonly ClassFace[];
}

/** `compared`: how often two faces were, for this. */
export type ClassReply = ComparedClass & { compared: number };
