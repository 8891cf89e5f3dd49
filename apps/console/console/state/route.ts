import { Observable } from '../../shared/observable.js';
import { auditFilterOf, type AuditFilter } from '../model/audit-filter.js';
import type { JobFilter, JobRow } from '../model/job-rows.js';
import { datasetPlaceOf, type DatasetPlace } from '../model/datasets.js';
import { DEFAULT_COLLECTION, peopleFilterOf, type PeopleFilter } from '../model/people.js';
import { questionOf, type Question } from '../model/question.js';
import { usageFilterOf, type UsageFilter } from '../model/usage-filter.js';

export type Place =
  | { page: 'jobs'; filter: JobFilter }
  | { page: 'job'; jobId: string; /** Seconds. */ at: number | null; /** Index of the source. */ source: number }
  | { page: 'search'; question: Question }
  | { page: 'people'; collection: string; filter: PeopleFilter }
  | { page: 'person'; collection: string; indexId: string }
  | { page: 'models' }
  | { page: 'model'; modelId: string }
  | { page: 'keys' }
  | { page: 'members' }
  | { page: 'streams' }
  | { page: 'stream'; jobId: string }
  | { page: 'webhooks' }
  | { page: 'webhook'; webhookId: string }
  | { page: 'health' }
  | { page: 'storage'; folder: string }
  | { page: 'usage'; filter: UsageFilter }
  | { page: 'audit'; filter: AuditFilter }
  | DatasetPlace
  | { page: 'sign-in'; code: string; /** Why the provider's way in led nowhere. */ fault: SignInFault | null }
  | { page: 'invitation'; token: string }
  | { page: 'unknown' };

const SIGN_IN_FAULTS = ['unavailable', 'failed', 'invitation', 'address', 'unverified', 'claim', 'stranger'] as const;
export type SignInFault = (typeof SIGN_IN_FAULTS)[number];
const STATES: readonly string[] = ['waiting', 'processing', 'completed', 'stopped', 'failed'];
const MEDIA: readonly string[] = ['image', 'video', 'audio', 'videostream', 'pdf'];

function isState(text: string | null): text is JobRow['state'] {
  return text !== null && STATES.includes(text);
}

function isMedia(text: string | null): text is JobRow['mediaType'] {
  return text !== null && MEDIA.includes(text);
}

/** What a fragment such as `#/jobs?state=failed` names. Fragments stay in the browser, and need no server behind a prefix. */
export function placeOf(fragment: string): Place {
  const [path = '', query = ''] = fragment.replace(/^#?\/?/, '').split('?');
  const [page = '', ...names] = path.split('/').map(decoded);
  const given = new URLSearchParams(query);
  const [name = ''] = names;
  if (names.includes(null) || name === null) return { page: 'unknown' };
  if (page === '' || page === 'jobs') return name === '' ? jobsPlace(given) : jobPlace(name, given);
  if (page === 'search') return { page, question: questionOf(given) };
  if (page === 'people') return peoplePlace(name, names[1] ?? '', given);
  if (page === 'models') return name === '' ? { page } : { page: 'model', modelId: name };
  if (page === 'keys') return { page };
  if (page === 'members') return { page };
  if (page === 'streams') return name === '' ? { page } : { page: 'stream', jobId: name };
  if (page === 'webhooks') return name === '' ? { page } : { page: 'webhook', webhookId: name };
  if (page === 'health') return { page };
  if (page === 'storage') return { page, folder: given.get('folder') || '/' };
  if (page === 'usage') return { page, filter: usageFilterOf(given) };
  if (page === 'audit') return { page, filter: auditFilterOf(given) };
  if (page === 'sign-in') return { page, code: given.get('code') ?? '', fault: signInFaultOf(given.get('fault')) };
  if (page === 'invitation') return { page, token: given.get('token') ?? '' };
  return datasetPlaceOf(page ?? '', names.filter(isText), given) ?? { page: 'unknown' };
}

function signInFaultOf(text: string | null): SignInFault | null {
  return SIGN_IN_FAULTS.find((fault) => fault === text) ?? null;
}

function isText(name: string | null): name is string {
  return name !== null;
}

function peoplePlace(collection: string, indexId: string, given: URLSearchParams): Place {
  if (indexId !== '') return { page: 'person', collection, indexId };
  return {
    ...{ page: 'people', collection: collection === '' ? DEFAULT_COLLECTION : collection },
    filter: peopleFilterOf(given),
  };
}

function jobPlace(jobId: string, given: URLSearchParams): Place {
  const at = Number(given.get('t') ?? 'none');
  const source = Number(given.get('source') ?? 0);
  return {
    ...{ page: 'job', jobId, at: Number.isFinite(at) && at >= 0 ? at : null },
    source: Number.isInteger(source) && source >= 0 ? source : 0,
  };
}

function jobsPlace(given: URLSearchParams): Place {
  const [state, mediaType, search] = [given.get('state'), given.get('media'), given.get('search')];
  return {
    page: 'jobs',
    filter: {
      ...(isState(state) && { state }),
      ...(isMedia(mediaType) && { mediaType }),
      ...(search !== null && search !== '' && { search }),
    },
  };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

export function jobsAddress({ state, mediaType, search }: JobFilter = {}): string {
  const query = new URLSearchParams({
    ...(state && { state }),
    ...(mediaType && { media: mediaType }),
    ...(search && { search }),
  }).toString();
  return query === '' ? '#/jobs' : `#/jobs?${query}`;
}

/** A job; with `at`, in seconds, and the index of a source the moment that it opens at. */
export function jobAddress(jobId: string, { at, source = 0 }: { at?: number; source?: number } = {}): string {
  const query = new URLSearchParams({
    ...(at !== undefined && { t: String(at) }),
    ...(source > 0 && { source: String(source) }),
  });
  return `#/jobs/${encodeURIComponent(jobId)}${query.size === 0 ? '' : `?${query.toString()}`}`;
}

export function modelAddress(modelId: string): string {
  return `#/models/${encodeURIComponent(modelId)}`;
}

export function streamAddress(jobId: string): string {
  return `#/streams/${encodeURIComponent(jobId)}`;
}

export function webhookAddress(webhookId: string): string {
  return `#/webhooks/${encodeURIComponent(webhookId)}`;
}

/** Where the person is. */
export class Route extends Observable {
  place = placeOf(location.hash);

  constructor() {
    super();
    addEventListener('hashchange', () => {
      this.place = placeOf(location.hash);
      this.changed();
    });
  }

  /** The code that the address signs in with, which is then in it no more; null without one. */
  takeCode(): string | null {
    const { place } = this;
    if (place.page !== 'sign-in' || place.code === '') return null;
    this.replace('#/jobs');
    return place.code;
  }

  go(address: string): void {
    location.hash = address;
  }

  /** Another filter is no page to go back to. */
  replace(address: string): void {
    history.replaceState(null, '', address);
    this.place = placeOf(address);
    this.changed();
  }
}
