import type { IndexedIdentity } from '@adit/client';
import { Observable } from '../../shared/observable.js';
import { questionOf } from '../model/question.js';
import { whoQuestion } from '../model/people.js';
import { giveName, restore, setLabel } from './naming.js';
import type { People } from './people.js';
import { Search } from './search.js';
import type { Session } from './session.js';

/** One person of a face index, and where they appear. */
export class Person extends Observable {
  person: IndexedIdentity | null = null;
  fault: unknown = null;
  readonly moments: Search;

  constructor(
    readonly session: Session,
    private readonly people: People,
    readonly collection: string,
    readonly indexId: string,
  ) {
    super();
    this.moments = new Search(session);
  }

  async read(): Promise<void> {
    try {
      const person = await this.session.client.request(
        'GET /v1/index-collection/{collectionName}/identities/{indexId}/',
        { params: { collectionName: this.collection, indexId: this.indexId } },
      );
      this.show(person);
    } catch (error) {
      this.session.notice(error);
      this.fault = error;
      this.changed();
    }
  }

  /** Gives a name; an empty one takes it away. Returns who has it now: another person, where that one had it already. */
  async name(label: string): Promise<IndexedIdentity> {
    const { person } = this;
    if (person === null) throw new Error('Nobody is shown.');
    const shown = await giveName(this.session, [person], label);
    this.people.renamed([person], shown);
    this.show(shown);
    return shown;
  }

  /** Makes one who was merged into this person somebody without a name again. */
  async split(id: string): Promise<void> {
    await setLabel(this.session, { collection: this.collection, id, label: '' });
    this.people.outdate();
    await this.read();
  }

  /** Makes the people who they were before. */
  async restore(people: readonly IndexedIdentity[]): Promise<void> {
    await restore(this.session, people);
    this.people.outdate();
    await this.read();
  }

  private show(person: IndexedIdentity): void {
    const { label } = person;
    const isOther = label !== this.person?.label;
    Object.assign(this, { person, fault: null });
    if (isOther && label !== '') void this.moments.ask(questionOf(new URLSearchParams({ q: whoQuestion(label) })));
    this.changed();
  }
}
