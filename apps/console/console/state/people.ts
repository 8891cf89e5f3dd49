import type { IndexCollection, IndexedIdentity } from '@adit/client';
import { Observable } from '../../shared/observable.js';
import { peopleAddress, withNamed, type PeopleFilter } from '../model/people.js';
import { forget, giveName, restore } from './naming.js';
import type { Session } from './session.js';

const PAGE = 60;

/** The people of a face index, as far as they were read. */
export class People extends Observable {
  collections: IndexCollection[] = [];
  people: IndexedIdentity[] = [];
  total = 0;
  loading = false;
  hasMore = false;
  fault: unknown = null;
  /** Pixels; the page keeps its place here. */
  scrollTop = 0;
  private place: { collection: string; filter: PeopleFilter } | null = null;
  private cursor: string | null = null;
  /** Number of the newest list: what comes of older ones is dropped. */
  private opened = 0;
  /** People were changed elsewhere: the list is to be read anew. */
  private isOutdated = false;

  constructor(readonly session: Session) {
    super();
  }

  get collection(): string {
    return this.place?.collection ?? '';
  }

  /** Address of the list as it was left last, where that was of this collection; else of all its people. */
  addressIn(collection: string): string {
    const filter = this.place?.collection === collection ? this.place.filter : { search: '', named: null };
    return peopleAddress(collection, filter);
  }

  /** Reads a list, unless it is there as it was left. */
  async show(collection: string, filter: PeopleFilter): Promise<void> {
    const isThere =
      this.place?.collection === collection && this.addressIn(collection) === peopleAddress(collection, filter);
    if (!isThere || this.isOutdated || this.people.length === 0) await this.open(collection, filter);
  }

  /** To be called when people were changed in a way that the list does not follow. */
  outdate(): void {
    this.isOutdated = true;
  }

  async open(collection: string, filter: PeopleFilter): Promise<void> {
    this.opened += 1;
    this.isOutdated = false;
    this.scrollTop = 0;
    this.place = { collection, filter };
    this.cursor = '';
    this.set({ people: [], total: 0, fault: null, hasMore: false, loading: false });
    await Promise.all([this.more(), this.readCollections()]);
  }

  async more(): Promise<void> {
    const { opened, cursor, place } = this;
    if (this.loading || cursor === null || place === null) return;
    this.set({ loading: true, fault: null });
    const { search, named } = place.filter;
    try {
      const page = await this.session.client.request('GET /v1/index-collection/{collectionName}/identities', {
        params: { collectionName: place.collection },
        query: { limit: PAGE, cursor, ...(search !== '' && { search }), ...(named !== null && { named }) },
      });
      if (opened !== this.opened) return;
      this.cursor = page.next === null ? null : new URL(page.next).searchParams.get('cursor');
      const known = new Set(this.people.map(({ index_id: id }) => id));
      const fresh = page.data.filter(({ index_id: id }) => !known.has(id));
      this.set({
        ...{ people: [...this.people, ...fresh], total: page.total },
        ...{ hasMore: this.cursor !== null, loading: false },
      });
    } catch (error) {
      this.session.notice(error);
      if (opened === this.opened) this.set({ fault: error, loading: false });
    }
  }

  /** Gives these people one name, which makes them one person. Returns who has it now. */
  async name(people: readonly IndexedIdentity[], label: string): Promise<IndexedIdentity> {
    const shown = await giveName(this.session, people, label);
    this.renamed(people, shown);
    return shown;
  }

  /** Follows a name that was given: `shown` is who has it now. */
  renamed(people: readonly IndexedIdentity[], shown: IndexedIdentity): void {
    const ids = people.map(({ index_id: id }) => id);
    const left = withNamed(this.people, ids, shown);
    this.set({ people: left, total: this.total - (this.people.length - left.length) });
  }

  /** Makes people who they were before they were named. */
  async restore(people: readonly IndexedIdentity[]): Promise<void> {
    await restore(this.session, people);
    if (this.place !== null) await this.open(this.place.collection, this.place.filter);
  }

  async forget(person: IndexedIdentity) {
    const receipt = await forget(this.session, person);
    const left = this.people.filter(({ index_id: id }) => id !== person.index_id);
    this.set({ people: left, total: this.total - (this.people.length - left.length) });
    return receipt;
  }

  private async readCollections(): Promise<void> {
    try {
      this.set({ collections: await this.session.client.request('GET /v1/index-collection/') });
    } catch (error) {
      // The list of people says what is wrong.
      this.session.notice(error);
    }
  }

  private set(
    state: Partial<Pick<People, 'collections' | 'people' | 'total' | 'loading' | 'hasMore' | 'fault'>>,
  ): void {
    Object.assign(this, state);
    this.changed();
  }
}
