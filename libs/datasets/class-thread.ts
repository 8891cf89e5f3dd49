import type { Worker } from 'node:worker_threads';
import { AditError } from '@adit/contracts';
import { createLogger, startThread } from '@adit/runtime';
import type { ClassReply, ClassRequest } from './class-requests.js';
import type { ClassFace, ComparedClass } from './cluster-faces.js';

const log = createLogger('classes');

/** Images of classes that are kept for when one more comes, some 3 KB each. */
const MOST_KEPT = 20_000;
/** So long after the last class the thread ends, and its memory with it. */
const KEPT_MS = 120_000;

/** The first images of a class that were compared, and what they were. */
export interface KnownImages {
  count: number;
  /** Of what tells each of them from others, in their order. */
  digest: string;
}

interface Waiting {
  resolve: (found: ComparedClass) => void;
  reject: (error: AditError) => void;
  id: string;
  known: KnownImages;
}

/**
 * Compares the faces of classes in a thread of its own, behind everything else that the process does, one class after the other.
 * It keeps those it compared last: of a class that has grown at its end only the new images are compared with the others.
 */
export class ClassThread {
  private worker: Worker | null = null;
  private readonly waiting: Waiting[] = [];
  /** What the thread holds; those used last stand last. */
  private readonly kept = new Map<string, KnownImages>();
  private idle: NodeJS.Timeout | undefined;
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
  compare(
    id: string,
    { known, faces, all }: { known: KnownImages | null; faces: readonly ClassFace[]; all: KnownImages },
  ): Promise<ComparedClass> {
    this.kept.delete(id);
    const request: ClassRequest = { forget: this.makeRoom(all.count), id, known: known?.count ?? 0, faces };
    clearTimeout(this.idle);
    const worker = (this.worker ??= this.start());
    worker.ref();
    worker.postMessage(request);
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject, id, known: all }));
  }

  /** Whoever waits is told that it ended. */
  async close(): Promise<void> {
    const { worker } = this;
    this.end(new AditError('UNAVAILABLE', 'The process ends.'));
    await worker?.terminate();
  }

  private start(): Worker {
    const worker = startThread('class-worker', import.meta.url);
    worker.on('message', (reply: ClassReply) => this.answered(reply));
    worker.once('error', (cause) => this.lose(worker, cause));
    worker.once('exit', () => this.lose(worker, new Error('it ended without an answer')));
    return worker;
  }

  private answered(reply: ClassReply): void {
    const asked = this.waiting.shift();
    if ('failure' in reply) asked?.reject(new AditError('INTERNAL', `A class was not compared: ${reply.failure}`));
    else if (asked !== undefined) {
      const { compared, ...found } = reply;
      this.compared += compared;
      log.debug({ class: asked.id, images: asked.known.count, compared }, 'a class was compared');
      if (asked.known.count > 0) this.kept.set(asked.id, asked.known);
      asked.resolve(found);
    }
    if (this.waiting.length === 0) this.rest();
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

  /** Nobody's end waits for it. */
  private rest(): void {
    const { worker } = this;
    worker?.unref();
    this.idle = setTimeout(() => {
      this.end(new AditError('UNAVAILABLE', 'The thread rests.'));
      void worker?.terminate();
    }, KEPT_MS).unref();
  }

  private lose(worker: Worker, cause: Error): void {
    if (this.worker !== worker) return;
    this.end(new AditError('INTERNAL', 'The thread that compares faces ended without an answer.', { cause }));
  }

  private end(error: AditError): void {
    clearTimeout(this.idle);
    this.worker = null;
    this.kept.clear();
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }
}
