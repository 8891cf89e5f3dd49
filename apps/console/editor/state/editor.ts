import type { Transcript, TranscriptAccess, TranscriptVariant } from '@adit/client';
import { changesOf, withText } from '../model/edits.js';
import { History } from '../model/history.js';
import { merge, settled, type Conflict } from '../model/merge.js';
import { isSame, type Paragraph, type Paragraphs } from '../model/paragraph.js';
import { Observable } from '../../shared/observable.js';
import { save, type Base, type Versions } from './saving.js';
import type { TranscriptApi } from './transcript-api.js';
import { whyNot } from './why-not.js';

const POLL_MS = 20_000;
/** Addresses of recordings that end are good for longer than this. */
const RECORDING_MS = 60_000;

export interface Notice {
  kind: 'good' | 'bad' | 'info';
  text: string;
}

type Opening = { state: 'opening' } | { state: 'failed'; why: string; renew: boolean } | { state: 'open' };

/** An open transcript: its saved version, the edits on top of it, and the versions that others save. */
export class Editor extends Observable {
  opening: Opening = { state: 'opening' };
  transcript: Transcript | null = null;
  access: TranscriptAccess = { scopes: [], media: null };
  /** Address of the recording for a player; undefined where there is none. */
  recording: string | undefined;
  variants: TranscriptVariant[] = [];
  variantId = '';
  base: Base = { version: 0, paragraphs: [] };
  history = new History([]);
  /** Number of paragraphs of the version while they are loading; null when all are there. */
  coming: number | null = null;
  saving = false;
  conflicts: Conflict[] = [];
  notice: Notice | null = null;
  /** A version that somebody else has saved since. */
  newer: number | null = null;
  /** The token is not good any more. */
  signedOut = false;
  private changes = { of: this.history.present, base: this.base, count: 0 };
  /** Number of the newest load; results of older ones are dropped. */
  private opened = 0;
  /** Number of loads that will replace the text; edits made meanwhile would be lost. */
  private replacing = 0;
  private recordingRead = 0;
  /** The paragraph that is typed into. */
  private typing = '';

  constructor(readonly api: TranscriptApi) {
    super();
  }

  get paragraphs(): Paragraphs {
    return this.history.present;
  }

  get mayWrite(): boolean {
    const isWhole = this.coming === null && this.conflicts.length === 0 && this.replacing === 0;
    return isWhole && this.access.scopes.includes('transcript.write');
  }

  get mayExport(): boolean {
    return this.access.scopes.includes('export.read') && this.access.scopes.includes('export.write');
  }

  get variant(): TranscriptVariant | undefined {
    return this.variants.find(({ id }) => id === this.variantId);
  }

  /** Number of unsaved changes. */
  get unsaved(): number {
    if (this.changes.of !== this.paragraphs || this.changes.base !== this.base) {
      const count = changesOf(this.base.paragraphs, this.paragraphs).length;
      this.changes = { of: this.paragraphs, base: this.base, count };
    }
    return this.changes.count;
  }

  async open(): Promise<void> {
    this.opening = { state: 'opening' };
    this.changed();
    try {
      if (!this.api.hasToken && !(await this.api.enter())) {
        const why = 'This link is not whole: its end, “?token=…”, is missing. Paste the whole link here.';
        this.opening = { state: 'failed', why, renew: true };
        return this.changed();
      }
      const [transcript, access, variants] = await Promise.all([
        this.api.transcript(),
        this.api.access(),
        this.api.variants(),
      ]);
      Object.assign(this, { transcript, access, variants });
      await this.readRecording();
      const first = variants[0];
      if (first === undefined) throw new Error('This transcript has no text.');
      await this.openVariant(first.id);
    } catch (error) {
      const { text, signedOut } = whyNot(error);
      this.opening = { state: 'failed', why: text, renew: signedOut };
      this.changed();
    }
  }

  async openVariant(id: string): Promise<void> {
    const load = (this.opened += 1);
    await this.replace(async () => {
      const { latest_version: version } = await this.api.variant(id);
      if (load === this.opened) await this.read(id, version, load);
    });
  }

  edit(next: Paragraphs): void {
    if (!this.mayWrite) return;
    this.typing = '';
    this.history.push(next);
    this.changed();
  }

  /** Takes text as it is typed; all typing in one paragraph is one undo step. */
  type(id: string, text: string): void {
    if (!this.mayWrite) return;
    const next = withText(this.paragraphs, id, text);
    if (next === this.paragraphs) return;
    if (this.typing === id) this.history.extend(next);
    else this.history.push(next);
    this.typing = id;
    this.changed();
  }

  /** Begins another undo step with the next letter. */
  endTyping(): void {
    this.typing = '';
  }

  undo(): void {
    this.typing = '';
    this.history.undo();
    this.changed();
  }

  redo(): void {
    this.typing = '';
    this.history.redo();
    this.changed();
  }

  async save(): Promise<void> {
    if (this.saving || !this.mayWrite || this.unsaved === 0) return;
    await this.attempt(async () => {
      const { base, conflicts, taken } = await save(this.versions, this.base, this.history);
      this.base = base;
      this.conflicts = conflicts;
      this.newer = null;
      const others = taken === 0 ? '' : ` ${count(taken, 'paragraph')} of others came in.`;
      this.notice =
        conflicts.length > 0
          ? { kind: 'bad', text: `Somebody else has changed ${count(conflicts.length, 'paragraph')} that you edited.` }
          : { kind: 'good', text: `Saved as version ${base.version}.${others}` };
    });
  }

  /** Merges the newest version of others into the text being edited. */
  async takeNewer(): Promise<void> {
    await this.attempt(async () => {
      const newest = await this.versions.newest();
      const { paragraphs, conflicts, taken } = merge(this.base.paragraphs, this.paragraphs, newest.paragraphs);
      this.history.rebase(paragraphs);
      this.base = newest;
      this.conflicts = conflicts;
      this.newer = null;
      this.notice = {
        kind: 'info',
        text: `Version ${newest.version}: ${count(taken, 'paragraph')} of others came in.`,
      };
    });
  }

  settle(conflict: Conflict, choice: 'mine' | 'theirs'): void {
    this.conflicts = this.conflicts.filter((each) => each !== conflict);
    this.history.push(settled(this.paragraphs, conflict, choice));
    this.changed();
  }

  async restore(version: number): Promise<void> {
    const bringBack = async (): Promise<void> => {
      const made = await this.api.write(this.variantId, this.base.version, { restore_version: version });
      if (made === null) {
        this.notice = { kind: 'bad', text: 'Somebody else has saved a version since: take it in first.' };
        this.newer = (await this.api.variant(this.variantId)).latest_version;
        return;
      }
      await this.read(this.variantId, made.version, (this.opened += 1));
      this.notice = { kind: 'good', text: `Version ${version} is back, as version ${made.version}.` };
    };
    await this.attempt(() => this.replace(bringBack));
  }

  /** Goes on with another token of the same transcript. */
  async renew(token: string): Promise<void> {
    this.api.renew(token);
    if (this.signedOut) Object.assign(this, { signedOut: false, notice: null });
    if (this.opening.state !== 'open') return this.open();
    // A token can arrive while a save runs; the save goes on undisturbed.
    try {
      this.access = await this.api.access();
      await this.readRecording();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Asks for the address of the recording, which may be good for minutes only. */
  async readRecording(): Promise<void> {
    const { transcript, access } = this;
    this.recordingRead = Date.now();
    this.recording = access.media === null || transcript === null ? undefined : await this.api.mediaAddress(transcript);
    this.changed();
  }

  /** To be called when the recording cannot be read: an old address is replaced, a new one would fail again. */
  async renewRecording(): Promise<void> {
    if (Date.now() - this.recordingRead > RECORDING_MS) await this.readRecording().catch(() => undefined);
  }

  say(notice: Notice | null): void {
    this.notice = notice;
    this.changed();
  }

  fail(error: unknown): void {
    const { text, signedOut } = whyNot(error);
    this.signedOut ||= signedOut;
    this.say({ kind: 'bad', text });
  }

  /** Polls for versions that others save; answers a function that stops it. */
  watch(): () => void {
    const poll = async (): Promise<void> => {
      if (document.hidden || this.saving || this.opening.state !== 'open' || this.signedOut) return;
      const variantId = this.variantId;
      const { latest_version: latest } = await this.api.variant(variantId);
      this.noteNewer(variantId, latest);
    };
    // A failure is reported by the next poll or the user's next action.
    const timer = setInterval(() => void poll().catch(() => undefined), POLL_MS);
    return () => clearInterval(timer);
  }

  private readonly versions: Versions = {
    write: async (seen, changes) =>
      (await this.api.write(this.variantId, seen, { base_version: seen, changes }))?.version ?? null,
    newest: async () => {
      const { latest_version: version } = await this.api.variant(this.variantId);
      return { version, paragraphs: await this.api.paragraphs(this.variantId, version) };
    },
    load: async (version, ids) =>
      ids === null
        ? this.api.paragraphs(this.variantId, version)
        : Promise.all(ids.map((id) => this.api.paragraph(this.variantId, version, id))),
  };

  private noteNewer(variantId: string, latest: number): void {
    if (variantId !== this.variantId || this.saving || latest <= this.base.version || latest === this.newer) return;
    this.newer = latest;
    this.changed();
  }

  private async replace(work: () => Promise<void>): Promise<void> {
    this.replacing += 1;
    this.changed();
    try {
      await work();
    } finally {
      this.replacing -= 1;
      this.changed();
    }
  }

  private async read(variantId: string, version: number, load: number): Promise<void> {
    const show = (paragraphs: Paragraphs, coming: number | null): void => {
      if (load !== this.opened) return;
      if (variantId !== this.variantId) Object.assign(this, { variantId, newer: null, conflicts: [] });
      this.base = { version, paragraphs };
      this.history = new History(paragraphs);
      this.coming = coming;
      this.opening = { state: 'open' };
      this.changed();
    };
    const all = await this.api.paragraphs(variantId, version, (some, total) => show(some, total));
    show(all, null);
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    this.saving = true;
    this.notice = null;
    this.changed();
    try {
      await work();
    } catch (error) {
      this.fail(error);
    } finally {
      this.saving = false;
      this.changed();
    }
  }
}

/** True when it differs from the saved version. */
export function isUnsaved(paragraph: Paragraph, saved: ReadonlyMap<string, Paragraph>): boolean {
  const before = saved.get(paragraph.id);
  return before === undefined || !isSame(before, paragraph);
}

export function count(n: number, what: string): string {
  return `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`;
}
