import { stat } from 'node:fs/promises';
import { PdfDocument } from './pdf-document.js';
import { MOST_LEFT_BYTES, type PageOrder } from './pdf-orders.js';
import { documentMemory } from './pdf-program.js';

interface Idle {
  /** Of the file as it was when it was loaded. */
  file: string;
  document: PdfDocument;
  /** What it takes while it waits. */
  bytes: number;
  /** Takes it from the idle ones. */
  leave: () => void;
  /** The same, and ends it. */
  end: () => Promise<void>;
}

/** How long a document waits for the next of its pages to be asked for: longer than it takes to hand the last one on. */
const IDLE_MILLISECONDS = 2_000;
/** All that wait together, the largest document among them: what one page may take besides, and for as long as that alone. */
const MOST_IDLE_BYTES = 768 * 2 ** 20;

/**
 * Documents that stay loaded from one page to the next, each in processes of its own: as many as draw pages of it at the same time.
 * A page that ends its process, or leaves something in it, costs no other page anything: what fails where others were drawn before
 * is drawn once more by a process that has seen nothing else.
 */
export class OpenDocuments {
  /** Processes that were started: each loads its document once. */
  loads = 0;
  private readonly idle: Idle[] = [];
  private isClosed = false;

  constructor(private readonly idleMilliseconds = IDLE_MILLISECONDS) {}

  /** The pixels of a page. Throws as `PdfDocument.draw`. */
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

  /** Ends what waits; what draws ends with its page. */
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
    // It ends by itself when a page has left too much in it.
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
    const waiting: Idle = { file, document, bytes: documentMemory(fileBytes) + MOST_LEFT_BYTES, leave, end };
    this.idle.push(waiting);
    for (let [first] = this.idle; first !== undefined && this.idleBytes() > MOST_IDLE_BYTES; [first] = this.idle) {
      void first.end();
    }
  }

  private idleBytes(): number {
    return this.idle.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}
