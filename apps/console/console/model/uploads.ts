/**
 * waiting for its turn; sending; paused; kept: begun before the page was loaded, its file is to be chosen again; done; there:
 * such a file was there already; taken: another file has the name; failed.
 */
export type UploadState = 'waiting' | 'sending' | 'paused' | 'kept' | 'done' | 'there' | 'taken' | 'failed';

export interface UploadItem {
  folder: string;
  name: string;
  /** Bytes. */
  size: number;
  /** Milliseconds since 1970 at which the file was changed last. */
  modified: number;
  state: UploadState;
  /** Bytes that the service has. */
  sent: number;
  /** Id of the entry, once the service knows of it. */
  storageId: number | null;
  /** Why it failed. */
  error: unknown;
}

/** What makes a file the same one when it is chosen again. */
export type Fingerprint = Pick<UploadItem, 'folder' | 'name' | 'size' | 'modified'>;

export function isSame(a: Fingerprint, b: Fingerprint): boolean {
  return a.folder === b.folder && a.name === b.name && a.size === b.size && a.modified === b.modified;
}

/** The order in which uploads are shown: what moves or needs somebody first, what is over last. */
const ORDER: readonly UploadState[] = ['sending', 'failed', 'taken', 'kept', 'paused', 'waiting', 'done', 'there'];

/** Those that are shown, in their order, and how many are not. */
export function shownUploads<T extends UploadItem>(items: readonly T[], limit: number): { shown: T[]; more: number } {
  const sorted = items.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  return { shown: sorted.slice(0, limit), more: Math.max(0, items.length - limit) };
}

/** How far all of them are. */
export function uploadSums(items: readonly UploadItem[]): {
  over: number;
  bytes: number;
  sent: number;
  /** Some are being sent, or wait for their turn. */
  moves: boolean;
} {
  const isOver = ({ state }: UploadItem): boolean => state === 'done' || state === 'there';
  const sum = (of: (item: UploadItem) => number): number => items.reduce((total, item) => total + of(item), 0);
  return {
    over: items.filter(isOver).length,
    bytes: sum(({ size }) => size),
    sent: sum((item) => (isOver(item) ? item.size : item.sent)),
    moves: items.some(({ state }) => state === 'sending' || state === 'waiting'),
  };
}
