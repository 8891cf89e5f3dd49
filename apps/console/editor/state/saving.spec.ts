import { beforeEach, describe, expect, it } from '@jest/globals';
import { renamed, split, withText, without, type Change } from '../model/edits.js';
import { History } from '../model/history.js';
import type { Paragraph, Paragraphs } from '../model/paragraph.js';
import { save, type Base, type Versions } from './saving.js';

const paragraph = (id: string, text = `text ${id}`): Paragraph => ({
  ...{ id, revision: 1, text, speaker: null, time_start: 0, time_end: 2, words: [] },
});

/** Versions as the service keeps them: what comes too late is refused, what is new gets an id. */
class Service implements Versions {
  version = 1;
  requests: number[] = [];
  /** Somebody else's versions, one before each of the next requests. */
  others: ((now: Paragraphs) => Paragraphs)[] = [];
  private made = 0;

  constructor(public paragraphs: Paragraphs) {}

  write(seen: number, changes: Change[]): Promise<number | null> {
    const other = this.others.shift();
    if (other !== undefined) this.commit(other(this.paragraphs));
    if (seen !== this.version) return Promise.resolve(null);
    this.requests.push(changes.length);
    if (changes.length > 1_000) throw new Error('too many changes');
    const next = [...this.paragraphs];
    for (const change of changes.toReversed()) {
      if (!('after' in change)) continue;
      const at = change.after === null ? 0 : next.findIndex(({ id }) => id === change.after) + 1;
      if (change.after !== null && at === 0) throw new Error(`unknown paragraph ${change.after}`);
      next.splice(at, 0, { ...paragraph(`made ${(this.made += 1)}`), ...change, speaker: change.speaker ?? null });
    }
    this.commit(
      next.flatMap((each) => {
        const change = changes.find((one) => 'id' in one && one.id === each.id);
        if (change === undefined || !('id' in change)) return [each];
        return 'remove' in change ? [] : [{ ...each, ...change, words: [] }];
      }),
    );
    return Promise.resolve(this.version);
  }

  newest(): Promise<Base> {
    return Promise.resolve({ version: this.version, paragraphs: this.paragraphs });
  }

  load(_version: number, ids: string[] | null): Promise<Paragraphs> {
    return Promise.resolve(this.paragraphs.filter(({ id }) => ids === null || ids.includes(id)));
  }

  private commit(paragraphs: Paragraphs): void {
    this.version += 1;
    this.paragraphs = paragraphs;
  }
}

let service: Service;
let base: Base;
let history: History;
beforeEach(() => {
  service = new Service(['a', 'b', 'c'].map((id) => paragraph(id)));
  base = { version: 1, paragraphs: service.paragraphs };
  history = new History(base.paragraphs);
});
const texts = (): string[] => service.paragraphs.map(({ text }) => text);

describe('saving', () => {
  it('makes one version of everything, and knows what was new by the id of the service', async () => {
    const written = without(split(withText(history.present, 'a', 'one two'), 'a', 4, 'new-1'), 'c');
    history.push(written);
    const saved = await save(service, base, history);
    expect(saved).toMatchObject({ conflicts: [], taken: 0, base: { version: 2 } });
    expect(texts()).toEqual(['one', 'two', 'text b']);
    expect(history.present.map(({ id }) => id)).toEqual(['a', 'made 1', 'b']);
    expect(['new-1', 'made 1', 'a'].map((id) => history.nameOf(id))).toEqual(['made 1', 'made 1', 'a']);
    expect(['made 1', 'a'].map((id) => history.firstNameOf(id))).toEqual(['new-1', 'a']);
    // Nothing is left to save; what is undone is.
    await save(service, saved.base, history);
    expect(service.version).toBe(2);
    history.undo();
    await save(service, saved.base, history);
    expect(texts()).toEqual(['text a', 'text b', 'text c']);
  });

  it('is done in several versions where it is more than a request takes, in order', async () => {
    const many = Array.from({ length: 2_500 }, (_, at) => paragraph(String(at), 'one two'));
    service = new Service(many);
    let written: Paragraphs = renamed(many, null, 'Ada');
    for (const { id } of many.slice(0, 1_200)) written = split(written, id, 4, `new-${id}`);
    history = new History(written);
    await save(service, { version: 1, paragraphs: many }, history);
    expect(service.requests.reduce((sum, count) => sum + count, 0)).toBe(2_500 + 1_200);
    expect(texts()).toEqual(written.map(({ text }) => text));
    expect(history.present.map(({ id }) => id)).toEqual(service.paragraphs.map(({ id }) => id));
  });

  it('takes in what others saved first', async () => {
    history.push(withText(history.present, 'a', 'mine'));
    service.others = [(now) => withText(now, 'c', 'theirs'), (now) => without(now, 'b')];
    expect(await save(service, base, history)).toMatchObject({ conflicts: [], taken: 2, base: { version: 4 } });
    expect(texts()).toEqual(['mine', 'theirs']);
    expect(history.present.map(({ text }) => text)).toEqual(['mine', 'theirs']);
  });

  it('stops where both wrote, with nothing of mine saved and nothing of mine lost', async () => {
    history.push(withText(withText(history.present, 'a', 'mine'), 'b', 'mine too'));
    service.others = [(now) => withText(now, 'a', 'theirs')];
    const { conflicts, base: newest } = await save(service, base, history);
    expect(conflicts).toMatchObject([{ id: 'a', mine: { text: 'mine' }, theirs: { text: 'theirs' } }]);
    expect(texts()).toEqual(['theirs', 'text b', 'text c']);
    expect(history.present.map(({ text }) => text)).toEqual(['mine', 'mine too', 'text c']);
    await save(service, newest, history);
    expect(texts()).toEqual(['mine', 'mine too', 'text c']);
  });

  it('leaves what is written meanwhile as it is', async () => {
    history.push(withText(history.present, 'a', 'mine'));
    const { load } = service;
    service.load = async (...what) => {
      history.push(withText(history.present, 'b', 'meanwhile'));
      return load.apply(service, what);
    };
    await save(service, base, history);
    expect(texts()).toEqual(['mine', 'text b', 'text c']);
    expect(history.present[1]).toMatchObject({ text: 'meanwhile' });
  });

  it('gives up when others never stop', async () => {
    history.push(withText(history.present, 'a', 'mine'));
    service.others = Array.from({ length: 100 }, (_, at) => (now: Paragraphs) => withText(now, 'c', String(at)));
    await expect(save(service, base, history)).rejects.toThrow('try again');
  });
});
