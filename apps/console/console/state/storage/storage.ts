import type { StorageEntryV2, StorageUse } from '@adit/client';
import { Observable } from '../../../shared/observable.js';
import type { Session } from '../session.js';

const PAGE = 200;
/** Small files become whole many a second: the folder is not read again as often. */
const SOON_MS = 2_000;

/** A folder of the workspace's storage, as far as it was read, and how much is stored. */
export class Storage extends Observable {
  folder = '';
  entries: StorageEntryV2[] | null = null;
  total = 0;
  use: StorageUse | null = null;
  hasMore = false;
  fault: unknown = null;
  private cursor: string | null = null;
  /** Number of the newest reading: what comes of older ones is dropped. */
  private opened = 0;
  private openedAt = 0;
  private isDue = false;

  constructor(readonly session: Session) {
    super();
  }

  /** Reads a folder anew; what is shown of it stays until then. */
  async open(folder: string): Promise<void> {
    const opened = (this.opened += 1);
    this.openedAt = performance.now();
    if (folder !== this.folder) Object.assign(this, { folder, entries: null, total: 0, hasMore: false });
    this.fault = null;
    this.changed();
    void this.readUse();
    await this.page(opened, '', []);
  }

  /** Reads the folder anew, within two seconds and once in two seconds, however often it is called. */
  soon(): void {
    if (this.isDue) return;
    this.isDue = true;
    const reopen = (): void => {
      this.isDue = false;
      void this.open(this.folder);
    };
    setTimeout(reopen, Math.max(0, this.openedAt + SOON_MS - performance.now()));
  }

  async more(): Promise<void> {
    if (this.cursor !== null) await this.page(this.opened, this.cursor, this.entries ?? []);
  }

  async remove(entry: StorageEntryV2): Promise<void> {
    await this.session.client.storage.delete(entry.id);
    await this.open(this.folder);
  }

  private async page(opened: number, cursor: string, before: StorageEntryV2[]): Promise<void> {
    try {
      const page = await this.session.client.request('GET /v2/storage/', {
        query: { folder: this.folder, limit: PAGE, cursor },
      });
      if (opened !== this.opened) return;
      this.cursor = page.next === null ? null : new URL(page.next).searchParams.get('cursor');
      Object.assign(this, { entries: [...before, ...page.data], total: page.total, hasMore: this.cursor !== null });
    } catch (error) {
      this.session.notice(error);
      if (opened === this.opened) this.fault = error;
    }
    this.changed();
  }

  private async readUse(): Promise<void> {
    try {
      this.use = await this.session.client.storage.usage();
      this.changed();
    } catch (error) {
      // The list says what is wrong.
      this.session.notice(error);
    }
  }
}
