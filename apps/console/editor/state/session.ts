import { keptKey } from '../../shared/kept-key.js';

/** The transcript and the token that the page's address names. */
export interface Session {
  transcriptId: string;
  /** `<key>.<jwt>`; empty when there was none. */
  token: string;
  /** The API key of whoever came from the console in this tab; empty without one. A token goes before it. */
  apiKey: string;
}

/**
 * Reads `/editor/{id}?token=…` (or `#token=…`, which reaches no server or proxy) and takes the token out of the address
 * bar and the history. The token is kept for this tab only, so that the page can be reloaded.
 */
export function openSession(): Session {
  const address = new URL(location.href);
  const transcriptId = decodeURIComponent(address.pathname.split('/').filter(Boolean).at(-1) ?? '');
  const fragment = new URLSearchParams(address.hash.slice(1));
  const given = address.searchParams.get('token') ?? fragment.get('token');
  if (given !== null) {
    keep(transcriptId, given);
    address.searchParams.delete('token');
    address.hash = '';
    history.replaceState(null, '', address);
  }
  const token = given ?? kept(transcriptId);
  return { transcriptId, token, apiKey: token === '' ? keptKey({ once: true }) : '' };
}

/** The theme that the address asks for; null leaves it to the system. */
export function themeOfAddress(): 'light' | 'dark' | null {
  const theme = new URLSearchParams(location.search).get('theme');
  return theme === 'light' || theme === 'dark' ? theme : null;
}

const nameOf = (transcriptId: string) => `adit-token ${transcriptId}`;

/** Keeps the token for this tab, unless the browser stores nothing for a page in a frame. */
export function keep(transcriptId: string, token: string): void {
  try {
    sessionStorage.setItem(nameOf(transcriptId), token);
  } catch {
    return;
  }
}

function kept(transcriptId: string): string {
  try {
    return sessionStorage.getItem(nameOf(transcriptId)) ?? '';
  } catch {
    return '';
  }
}
