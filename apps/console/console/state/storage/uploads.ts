import { AditApiError } from '@adit/client';
import { Observable } from '../../../shared/observable.js';
import { placeIn } from '../../model/folders.js';
import { isSame, type UploadItem } from '../../model/uploads.js';
import type { DroppedFile } from './dropped-files.js';
import { KeptUploads } from './kept-uploads.js';
import type { Session } from '../session.js';

/** Bytes of a request: what is sent again, at most, after a broken connection is far less; the bar moves by so much. */
const PIECE = 8 << 20;
const AT_ONCE = 2;
/** Seconds for which a service that is away is waited for. */
const PATIENCE = 600;

/** An upload of this page: with its file, unless that has to be chosen again. */
export interface Upload extends UploadItem {
  file: File | null;
  ifExists: 'refuse' | 'replace' | 'rename';
  ends: AbortController | null;
}

/** Uploads outlive the page that shows them; those of another key, person or workspace are ended. */
let current: { owner: string; uploads: Uploads } | null = null;

export function uploadsOf(session: Session): Uploads {
  const { owner } = session;
  if (current?.owner !== owner) {
    current?.uploads.pause();
    current = { owner, uploads: new Uploads(session) };
  }
  return current.uploads;
}

/** Files on their way to the service, two at a time. */
export class Uploads extends Observable {
  items: Upload[] = [];
  /** Changes with each file that has become whole. */
  finished = 0;
  private readonly owner: string;
  private readonly kept: KeptUploads;

  constructor(private readonly session: Session) {
    super();
    this.owner = session.owner;
    this.kept = new KeptUploads(session.me?.workspace.id ?? '');
    this.items = this.kept.all().map((each) => newUpload({ ...each, state: 'kept' }));
    session.observe(() => !this.isOurs && this.pause());
    addEventListener('beforeunload', (event) => {
      // Browsers ask then whether the page is really to be left.
      if (this.items.some(({ state }) => state === 'sending' || state === 'waiting')) event.preventDefault();
    });
    void this.look();
  }

  add(folder: string, files: readonly DroppedFile[]): void {
    for (const { file, path } of files) {
      const place = { ...placeIn(folder, path), size: file.size, modified: file.lastModified };
      const known = this.items.find((each) => isSame(each, place) && each.state !== 'done' && each.state !== 'there');
      if (known === undefined) this.items.push(newUpload({ ...place, file, state: 'waiting' }));
      else if (known.state !== 'sending') Object.assign(known, { file, state: 'waiting', error: null });
    }
    this.next();
  }

  /** One of them, or all that move. What was sent stays sent. */
  pause(item?: Upload): void {
    const those = item === undefined ? this.items : [item];
    for (const each of those) {
      if (each.state !== 'sending' && each.state !== 'waiting') continue;
      each.state = 'paused';
      each.ends?.abort();
    }
    this.next();
  }

  /** One of them, or all that are paused or failed. */
  resume(item?: Upload, ifExists?: Upload['ifExists']): void {
    const those =
      item === undefined ? this.items.filter(({ state }) => state === 'paused' || state === 'failed') : [item];
    for (const each of those) {
      if (each.file === null) continue;
      Object.assign(each, { state: 'waiting', error: null, ...(ifExists !== undefined && { ifExists }) });
    }
    this.next();
  }

  /** Removes what has come of it. */
  async giveUp(item: Upload): Promise<void> {
    if (!this.isOurs) return;
    const { storageId } = item;
    this.pause(item);
    if (storageId !== null && item.state !== 'done') {
      await this.session.client.storage.abandon(storageId).catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
      this.kept.forget(storageId);
    }
    this.items = this.items.filter((each) => each !== item);
    this.next();
  }

  /** Takes what is over from the list. */
  clear(): void {
    this.items = this.items.filter(({ state }) => state !== 'done' && state !== 'there');
    this.changed();
  }

  /** A link may sign in another key meanwhile, of another workspace perhaps: with that one nothing is sent or asked for. */
  private get isOurs(): boolean {
    return this.session.owner === this.owner;
  }

  /** What is wrong with the key of these uploads says nothing about another one. */
  private notice(error: unknown): void {
    if (this.isOurs) this.session.notice(error);
  }

  /** How far those are that were begun before; some were finished or given up meanwhile. */
  private async look(): Promise<void> {
    for (const item of [...this.items]) {
      const { storageId } = item;
      if (!this.isOurs) return;
      if (item.state !== 'kept' || storageId === null) continue;
      try {
        const entry = await this.session.client.storage.get(storageId);
        if (entry.uploaded || entry.upload_failed) this.drop(item, storageId);
        else item.sent = entry.file_size ?? 0;
      } catch (error) {
        this.notice(error);
        if (isGone(error)) this.drop(item, storageId);
      }
      this.changed();
    }
  }

  private drop(item: Upload, storageId: number): void {
    this.kept.forget(storageId);
    this.items = this.items.filter((each) => each !== item);
  }

  private next(): void {
    const waiting = this.items.filter(({ state }) => state === 'waiting');
    if (!this.isOurs) for (const item of waiting) item.state = 'paused';
    this.changed();
    if (!this.isOurs) return;
    const sending = this.items.filter(({ state }) => state === 'sending').length;
    const free = Math.max(0, AT_ONCE - sending);
    for (const item of waiting.slice(0, free)) if (item.file !== null) void this.send(item, item.file);
  }

  private async send(item: Upload, file: File): Promise<void> {
    const ends = new AbortController();
    Object.assign(item, { state: 'sending', ends });
    this.changed();
    try {
      const entry = await this.sent(item, file, ends.signal);
      Object.assign(item, { state: 'done', sent: item.size, storageId: entry.id });
      this.kept.forget(entry.id);
      this.finished += 1;
    } catch (error) {
      this.notice(error);
      if (!ends.signal.aborted) Object.assign(item, outcomeOf(error, item));
    }
    if (item.ends === ends) item.ends = null;
    this.next();
  }

  /** Goes on with an upload of the same file that was begun before, if it is there still. */
  private async sent(item: Upload, file: File, signal: AbortSignal) {
    const { folder, name, ifExists } = item;
    // The same one to the end, whoever signs in meanwhile: what is gone for it is gone.
    const { storage } = this.session.client;
    const options = {
      ...{ folder, name, ifExists, signal, pieceBytes: PIECE, patienceSeconds: PATIENCE },
      onBegun: (id: number): void => {
        item.storageId = id;
        // Given up before the reply was there.
        if (!this.items.includes(item)) return void storage.abandon(id).catch((error: unknown) => this.notice(error));
        this.kept.keep(item, id);
      },
      onProgress: (sent: number): void => {
        item.sent = sent;
        this.changed();
      },
    };
    const begun = item.storageId ?? this.kept.find(item)?.storageId;
    if (begun === undefined) return storage.uploadResumably(file, options);
    try {
      return await storage.uploadResumably(file, { ...options, resume: begun });
    } catch (error) {
      if (!isGone(error) && !(error instanceof RangeError)) throw error;
      this.kept.forget(begun);
      Object.assign(item, { storageId: null, sent: 0 });
      return storage.uploadResumably(file, options);
    }
  }
}

function newUpload(given: Partial<Upload> & Pick<Upload, 'folder' | 'name' | 'size' | 'modified' | 'state'>): Upload {
  return { file: null, sent: 0, storageId: null, error: null, ifExists: 'refuse', ends: null, ...given };
}

function isGone(error: unknown): boolean {
  return error instanceof AditApiError && error.status === 404;
}

/** What an upload that was refused is then: a whole file of the same size in its place is taken for the same one. */
function outcomeOf(error: unknown, { size }: Upload): Partial<Upload> {
  const conflict = error instanceof AditApiError && error.status === 409 ? error : null;
  const exists = conflict?.errors.find(({ code }) => code === 'exists');
  if (exists === undefined) return { state: 'failed', error };
  const existing: unknown = 'existing' in exists ? exists.existing : null;
  const isThere = typeof existing === 'object' && existing !== null && Reflect.get(existing, 'file_size') === size;
  return { state: isThere ? 'there' : 'taken', error };
}
