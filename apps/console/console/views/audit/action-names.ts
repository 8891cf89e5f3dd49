import { auditText } from '../../messages/audit.en.js';
import { useMessages } from '../../messages/i18n.js';

const NAMED = ['created', 'replaced', 'changed', 'deleted'] as const;

/** Names of actions for people; commands are called as the API calls them. */
export function useActionNames(): (action: string) => string {
  const text = useMessages(auditText);
  return (action) => {
    const named = NAMED.find((each) => each === action);
    return named === undefined ? action.replaceAll('-', ' ') : text[named];
  };
}
