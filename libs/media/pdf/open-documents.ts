import { stat } from 'node:fs/promises';
import { PdfDocument } from './pdf-document.js';
import { MAX_LEFTOVER_BYTES, type PageOrder } from './pdf-orders.js';
import { documentMemory } from './pdf-program.js';

interface Idle {
  /** Identity of the file when it was loaded. */
  file: string;
  document: PdfDocument;
  /** Bytes that it holds while idle. */
  bytes: number;
  /** Removes it from the idle ones. */
  leave: () => void;
  /** Removes and ends it. */
  end: () => Promise<void>;
}

/** Milliseconds that a document stays loaded for its next page: longer than passing on the last one takes. */
const IDLE_MILLISECONDS = 2_000;
/** Bytes of all idle documents together; one page may take as much besides. */
const MAX_IDLE_BYTES = 768 * 2 ** 20;

/**
 * Keeps documents loaded from one page to the next, each in as many processes as draw its pages at the same time. A
 * page that crashes its process, or corrupts it, affects no other page: a page that fails in a used process is drawn
 * again in a fresh one.
 */
export class OpenDocuments {
  /** Number of processes started; each loads its document once. */
  loads = 0;
  private readonly idle: Idle[] = [];
  private isClosed = false;

  constructor(private readonly idleMilliseconds = IDLE_MILLISECONDS) {}

  /** Returns the pixels of a page. Throws as `PdfDocument.draw`. */
  async draw({ path, ...page }: PageOrder, signal?: AbortSignal): Promise<Buffer> {
    const { ino, size, mtimeMs } = await stat(path);
    const file = `${path} ${ino} ${size} ${mtimeMs}`;
    const drawn = async (document: PdfDocument): Promise<Buffer> => {
      try {
        const pixels = await document.draw(page, signal);
        this.keep(file, document, size);
        return pixels;
      } catch (error) {
        await document.close();
        throw error;
      }
    };
    const document = this.take(file) ?? this.load(path);
    try {
      return await drawn(document);
    } catch (error) {
      if (signal?.aborted === true || document.asked === 1) throw error;
      return drawn(this.load(path));
    }
  }

  /** Ends idle documents; busy ones end with their page. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.idle].map((each) => each.end()));
  }

  private load(path: string): PdfDocument {
    this.loads += 1;
    return new PdfDocument(path);
  }

  private take(file: string): PdfDocument | null {
    const found = this.idle.find((each) => each.file === file);
    if (found === undefined) return null;
    found.leave();
    // A process ends by itself when a page left too much memory in it.
    return found.document.hasEnded ? this.take(file) : found.document;
  }

  private keep(file: string, document: PdfDocument, fileBytes: number): void {
    if (this.isClosed) return void document.close();
    const leave = (): void => {
      clearTimeout(timer);
      this.idle.splice(this.idle.indexOf(waiting), 1);
    };
    const end = (): Promise<void> => {
      leave();
      return document.close();
    };
    const timer = setTimeout(() => void end(), this.idleMilliseconds);
    const waiting: Idle = { file, document, bytes: documentMemory(fileBytes) + MAX_LEFTOVER_BYTES, leave, end };
    this.idle.push(waiting);
    for (let [first] = this.idle; first !== undefined && this.idleBytes() > MAX_IDLE_BYTES; [first] = this.idle) {
      void first.end();
    }
  }

  private idleBytes(): number {
    return this.idle.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}
