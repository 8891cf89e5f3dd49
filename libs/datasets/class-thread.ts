import { AditError } from '@adit/contracts';
import { createLogger, startThread, ThreadClient } from '@adit/runtime';
import type { ClassReply, ClassRequest } from './class-requests.js';
import type { ClassFace, ComparedClass } from './cluster-faces.js';

const log = createLogger('classes');

/** Images of classes that are kept for when one more comes, some 3 KB each. */
const MOST_KEPT = 20_000;
/** So long after the last class the thread ends, and its memory with it. */
const IDLE_MS = 120_000;

/** The first images of a class that were compared, and what they were. */
export interface KnownImages {
  count: number;
  /** Of what tells each of them from others, in their order. */
  digest: string;
}

/**
 * Compares the faces of classes in a thread of its own, behind everything else that the process does, one class after the other.
 * It keeps those it compared last: of a class that has grown at its end only the new images are compared with the others.
 */
export class ClassThread {
  private readonly thread = new ThreadClient<ClassRequest, ClassReply>({
    start: () => startThread('class-worker', import.meta.url),
    died: (cause) => new AditError('INTERNAL', 'The thread that compares faces ended without an answer.', { cause }),
    failed: (message) => new AditError('INTERNAL', `A class was not compared: ${message}`),
    ended: () => this.kept.clear(),
    idleMs: IDLE_MS,
  });
  /** What the thread holds; those used last stand last. */
  private readonly kept = new Map<string, KnownImages>();
  /** Comparisons of two faces so far. */
  compared = 0;

  /** @param mostKept images of classes that nobody asks for at the moment */
  constructor(private readonly mostKept = MOST_KEPT) {}

  /** The images of a class that it has, if any. */
  known(id: string): KnownImages | null {
    return this.kept.get(id) ?? null;
  }

  /**
   * What comparing the images of a class gives: those that are `known`, which is what `known()` answered or null for all anew, and
   * the others. `all` is what it knows then. Throws INTERNAL when the thread dies; the next class starts another.
   */
  async compare(
    id: string,
    { known, faces, all }: { known: KnownImages | null; faces: readonly ClassFace[]; all: KnownImages },
  ): Promise<ComparedClass> {
    this.kept.delete(id);
    const forget = this.makeRoom(all.count);
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

  /** Classes that go for one of so many images. */
  private makeRoom(coming: number): string[] {
    const gone: string[] = [];
    let images = [...this.kept.values()].reduce((sum, { count }) => sum + count, coming);
    for (const [id, { count }] of this.kept) {
      if (images <= this.mostKept) break;
      this.kept.delete(id);
      gone.push(id);
      images -= count;
    }
    return gone;
  }
}
