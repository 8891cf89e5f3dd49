import type { Erasure, IndexedIdentity } from '@adit/client';
import { formerNames } from '../model/people.js';
import type { Session } from './session.js';

const POLL_MS = 1_000;

/** Gives people one name, which makes them one person. Returns who has it now. */
export async function giveName(
  session: Session,
  people: readonly IndexedIdentity[],
  label: string,
): Promise<IndexedIdentity> {
  let shown: IndexedIdentity | null = null;
  for (const { collection_name: collection, index_id: id } of people) {
    shown = await setLabel(session, { collection, id, label });
  }
  if (shown === null) throw new Error('Nobody was named.');
  return shown;
}

/** Makes people who they were before they were named. */
export async function restore(session: Session, people: readonly IndexedIdentity[]): Promise<void> {
  const [first] = people;
  if (first === undefined) return;
  const names = formerNames(people);
  // One after the other: who has a name already is the one that others become.
  for (const { id, label } of names) await setLabel(session, { collection: first.collection_name, id, label });
}

export function setLabel(
  { client }: Session,
  { collection, id, label }: { collection: string; id: string; label: string },
): Promise<IndexedIdentity> {
  return client.request('PUT /v1/index-collection/{collectionName}/identities/{indexId}/', {
    params: { collectionName: collection, indexId: id },
    body: { label },
  });
}

/** Erases a person. The receipt says `processing` until nothing of them is left. */
export function forget(
  { client }: Session,
  { collection_name: collectionName, index_id: indexId }: IndexedIdentity,
): Promise<Erasure> {
  return client.request('DELETE /v1/index-collection/{collectionName}/identities/{indexId}/', {
    params: { collectionName, indexId },
  });
}

/** Reads a receipt until it is completed, or the signal. */
export async function followErasure(
  { client }: Session,
  receipt: Erasure,
  { signal, tell }: { signal: AbortSignal; tell: (receipt: Erasure) => void },
): Promise<void> {
  let { state } = receipt;
  while (state !== 'completed' && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const read = await client.request('GET /v1/erasures/{erasureId}/', { params: { erasureId: receipt.id }, signal });
    state = read.state;
    tell(read);
  }
}
