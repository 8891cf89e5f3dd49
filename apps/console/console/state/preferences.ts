import { language, LANGUAGES, type Language } from '../messages/i18n.js';

export type Theme = 'system' | 'light' | 'dark';

/** What this browser remembers; a browser that stores nothing takes what the system says. */
function remembered(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function remember(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    return;
  }
}

export function theme(): Theme {
  const kept = remembered('adit-theme');
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function showTheme(wanted: Theme): void {
  if (wanted === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = wanted;
}

export function setTheme(wanted: Theme): void {
  remember('adit-theme', wanted);
  showTheme(wanted);
}

function isLanguage(text: string | undefined): text is Language {
  return text !== undefined && Object.hasOwn(LANGUAGES, text);
}

/** The language that was chosen, else the first of the browser's that there is. */
export function preferredLanguage(): Language {
  const wanted = [remembered('adit-language') ?? '', ...navigator.languages].map((tag) => tag.split('-')[0]);
  return wanted.find(isLanguage) ?? 'en';
}

export function setLanguage(wanted: string): void {
  if (!isLanguage(wanted)) return;
  remember('adit-language', wanted);
  document.documentElement.lang = wanted;
  language.set(wanted);
}
