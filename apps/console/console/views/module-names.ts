import { moduleText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';

/** Names of modules for people; one of somebody's own is called by its id. */
export function useModuleNames(): (id: string) => string {
  const text = useMessages(moduleText);
  return (id) => {
    const known: Record<string, string> = text;
    return Object.hasOwn(known, id) ? (known[id] ?? id) : id.replaceAll('_', ' ');
  };
}
