import { AditError } from '@adit/contracts';
import { startThread, ThreadClient } from '@adit/runtime';

export interface DetectedLanguage {
  /** Code of two letters; empty when there is none. */
  language: string;
  isReliable: boolean;
}

/** Idle time after which the thread ends, and frees the memory of the detector's tables. */
const IDLE_MS = 10_000;

/**
 * The language detector in a thread of its own, behind everything else that the process does. Loading its tables takes far
 * longer than any text, so it is done once for all texts that come one after the other.
 */
export class LanguageThread {
  private readonly thread = new ThreadClient<string, DetectedLanguage>({
    start: () => startThread('language-worker', import.meta.url),
    died: (cause) => new AditError('INTERNAL', 'The language detector ended without an answer.', { cause }),
    idleMs: IDLE_MS,
  });

  /** Throws INTERNAL when the thread dies; the next text starts another. */
  detect(text: string): Promise<DetectedLanguage> {
    return this.thread.request(text);
  }
}
