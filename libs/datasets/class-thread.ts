import { AditError } from '@adit/contracts';
import { createLogger, startThread, ThreadClient } from '@adit/runtime';
import type { ClassReply, ClassRequest } from './class-requests.js';
import type { ClassFace, ComparedClass } from './cluster-faces.js';

const log = createLogger('classes');

/** Images of classes kept for further ones, some 3 KB each. */
const MAX_KEPT = 20_000;
/** Idle time after which the thread ends and frees its memory. */
const IDLE_MS = 120_000;

/** The compared first images of a class. */
export interface KnownImages {
  count: number;
  /** Digest of the identities of each, in order. */
  digest: string;
}

/**
 * Compares the faces of classes in a worker thread of low priority, one class after the other. It keeps the most recent
 * ones: of a class with appended images only the new ones are compared with the others.
 */
export class ClassThread {
  private readonly thread = new ThreadClient<ClassRequest, ClassReply>({
    start: () => startThread('class-worker', import.meta.url),
    died: (cause) => new AditError('INTERNAL', 'The thread that compares faces ended without an answer.', { cause }),
    failed: (message) => new AditError('INTERNAL', `A class was not compared: ${message}`),
    ended: () => this.kept.clear(),
    idleMs: IDLE_MS,
  });
  /** Classes that the thread holds, least recently used first. */
  private readonly kept = new Map<string, KnownImages>();
  /** Number of face comparisons so far. */
  compared = 0;

  /** @param maxKept images of idle classes */
  constructor(private readonly maxKept = MAX_KEPT) {}

  /** Returns the images of a class that it holds, if any. */
  known(id: string): KnownImages | null {
    return this.kept.get(id) ?? null;
  }

  /**
   * Compares the images of a class: `known` is the result of `known()`, or null for all anew, and `faces` are the
   * others. `all` describes the class afterwards. Throws INTERNAL when the thread dies; the next class starts another.
   */
  async compare(
    id: string,
    { known, faces, all }: { known: KnownImages | null; faces: readonly ClassFace[]; all: KnownImages },
  ): Promise<ComparedClass> {
    this.kept.delete(id);
    const forget = this.evict(all.count);
    const { compared, ...found } = await this.thread.request({ forget, id, known: known?.count ?? 0, faces });
    this.compared += compared;
    log.debug({ class: id, images: all.count, compared }, 'a class was compared');
    if (all.count > 0) this.kept.set(id, all);
    return found;
  }

  /** Whoever waits is told that it ended. */
  close(): Promise<void> {
    return this.thread.close();
  }

  /** Returns classes to evict for one of that many images. */
  private evict(coming: number): string[] {
    const gone: string[] = [];
    let images = [...this.kept.values()].reduce((sum, { count }) => sum + count, coming);
    for (const [id, { count }] of this.kept) {
      if (images <= this.maxKept) break;
      this.kept.delete(id);
      gone.push(id);
      images -= count;
    }
    return gone;
  }
}
