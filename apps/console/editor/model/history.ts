import type { Paragraphs } from './paragraph.js';

/** Steps that can be taken back; lists share their paragraphs, so each costs a list of pointers. */
const MOST_STEPS = 200;

/** What is being written, and what it was before. */
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
    this.past = [...this.past.slice(1 - MOST_STEPS), this.present];
    this.present = next;
    this.future = [];
  }

  /** A step that goes on: letters that are typed one after the other are one. */
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

  /** The same in other words: no step. */
  replace(present: Paragraphs): void {
    this.present = present;
  }

  /** What others wrote came in: no step back leads behind that. */
  rebase(present: Paragraphs): void {
    this.past = [];
    this.future = [];
    this.present = present;
  }

  /** Paragraphs get other ids: the service names what was new. */
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

  /** What a paragraph is called now. */
  nameOf(id: string): string {
    let name = id;
    for (let next = this.named.get(name); next !== undefined; next = this.named.get(name)) name = next;
    return name;
  }

  /** What a paragraph was called at first: the same through all of its life in the page. */
  firstNameOf(id: string): string {
    return this.former.get(id) ?? id;
  }
}
