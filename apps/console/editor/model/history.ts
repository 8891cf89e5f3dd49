import type { Paragraphs } from './paragraph.js';

/** Limit of undo steps; lists share their paragraphs, so each step costs a list of pointers. */
const MAX_STEPS = 200;

/** The text being edited, with its undo and redo steps. */
export class History {
  private past: Paragraphs[] = [];
  private future: Paragraphs[] = [];
  /** Other names of paragraphs: the next one, and the first one. */
  private readonly named = new Map<string, string>();
  private readonly former = new Map<string, string>();

  constructor(public present: Paragraphs) {}

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  push(next: Paragraphs): void {
    if (next === this.present) return;
    this.past = [...this.past.slice(1 - MAX_STEPS), this.present];
    this.present = next;
    this.future = [];
  }

  /** Extends the last step: letters typed one after the other are one step. */
  extend(next: Paragraphs): void {
    this.present = next;
    this.future = [];
  }

  undo(): void {
    const before = this.past.pop();
    if (before === undefined) return;
    this.future.push(this.present);
    this.present = before;
  }

  redo(): void {
    const after = this.future.pop();
    if (after === undefined) return;
    this.past.push(this.present);
    this.present = after;
  }

  /** Replaces the text by an equivalent one, without a step. */
  replace(present: Paragraphs): void {
    this.present = present;
  }

  /** Takes in text of others; undo does not lead behind it. */
  rebase(present: Paragraphs): void {
    this.past = [];
    this.future = [];
    this.present = present;
  }

  /** Gives paragraphs other ids: the service names new ones. */
  rename(ids: ReadonlyMap<string, string>): void {
    if (ids.size === 0) return;
    const named = (list: Paragraphs): Paragraphs => list.map((each) => ({ ...each, id: ids.get(each.id) ?? each.id }));
    this.past = this.past.map(named);
    this.future = this.future.map(named);
    this.present = named(this.present);
    for (const [id, name] of ids) {
      this.named.set(id, name);
      this.former.set(name, this.firstNameOf(id));
    }
  }

  /** The present id of a paragraph. */
  nameOf(id: string): string {
    let name = id;
    for (let next = this.named.get(name); next !== undefined; next = this.named.get(name)) name = next;
    return name;
  }

  /** The first id of a paragraph, which never changes while the page is open. */
  firstNameOf(id: string): string {
    return this.former.get(id) ?? id;
  }
}
