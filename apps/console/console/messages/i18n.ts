import { createI18n } from '@nanostores/i18n';
import { atom, type ReadableAtom } from 'nanostores';
import { useLayoutEffect, useReducer } from 'preact/hooks';

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

export const language = atom<Language>('en');

/** English is part of the page; German is fetched when it is asked for. */
export const i18n = createI18n(language, { get: async () => [(await import('./de.js')).german] });

/** The messages in the language of the page; the component is drawn again in another one. */
export function useMessages<T>(messages: ReadableAtom<T>): T {
  const [, again] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => messages.listen(() => again(undefined)), [messages]);
  return messages.get();
}
