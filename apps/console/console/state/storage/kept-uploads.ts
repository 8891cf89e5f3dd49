import { isSame, type Fingerprint } from '../../model/uploads.js';

/** An upload that was begun, as this browser remembers it. */
export interface KeptUpload extends Fingerprint {
  storageId: number;
}

/** More are not remembered: the oldest are forgotten. */
const MOST = 1_000;

/** The uploads that this browser began in a workspace and has not finished; one that stores nothing remembers none. */
export class KeptUploads {
  private readonly place: string;

  constructor(workspaceId: string) {
    this.place = `adit-uploads:${workspaceId}`;
  }

  all(): KeptUpload[] {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(this.place) ?? '[]');
      return Array.isArray(kept) ? kept.filter(isKept) : [];
    } catch {
      return [];
    }
  }

  find(file: Fingerprint): KeptUpload | undefined {
    return this.all().find((each) => isSame(each, file));
  }

  keep({ folder, name, size, modified }: Fingerprint, storageId: number): void {
    const others = this.all().filter((each) => each.storageId !== storageId);
    this.write([...others, { folder, name, size, modified, storageId }].slice(-MOST));
  }

  forget(storageId: number): void {
    this.write(this.all().filter((each) => each.storageId !== storageId));
  }

  private write(kept: KeptUpload[]): void {
    try {
      if (kept.length === 0) localStorage.removeItem(this.place);
      else localStorage.setItem(this.place, JSON.stringify(kept));
    } catch {
      return;
    }
  }
}

/** What stands there may be of another build, or of somebody's hand. */
function isKept(value: unknown): value is KeptUpload {
  if (typeof value !== 'object' || value === null) return false;
  const isNumber = (name: string): boolean => Number.isFinite(Reflect.get(value, name));
  const isText = (name: string): boolean => typeof Reflect.get(value, name) === 'string';
  return isText('folder') && isText('name') && isNumber('size') && isNumber('modified') && isNumber('storageId');
}
