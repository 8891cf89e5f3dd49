import type { IndexedIdentity } from '@adit/client';
import { useMessages } from '../../messages/i18n.js';
import { peopleText } from '../../messages/people.en.js';

/** What people are called here: by name, else by id. */
export function usePersonNames(): (person: Pick<IndexedIdentity, 'label' | 'index_id'>) => string {
  const text = useMessages(peopleText);
  return ({ label, index_id: id }) => (label === '' ? text.unknown({ id }) : label);
}
