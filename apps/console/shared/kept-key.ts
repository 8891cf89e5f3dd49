/** Of this tab alone, and gone with it. */
const KEPT = 'adit-key';
const ONCE = 'adit-key-once';

/** Keeps the key for this tab; `once` for the next page that asks. A browser that stores nothing keeps none. */
export function keepKey(key: string, { once = false } = {}): void {
  try {
    sessionStorage.setItem(once ? ONCE : KEPT, key);
  } catch {
    return;
  }
}

/** The key that was kept, with `once` also one for the next page that asks; empty without one. What was kept for once is forgotten. */
export function keptKey({ once = false } = {}): string {
  try {
    const handedOver = sessionStorage.getItem(ONCE);
    sessionStorage.removeItem(ONCE);
    return (once ? handedOver : null) ?? sessionStorage.getItem(KEPT) ?? '';
  } catch {
    return '';
  }
}

export function forgetKey(): void {
  try {
    sessionStorage.removeItem(KEPT);
    sessionStorage.removeItem(ONCE);
  } catch {
    return;
  }
}
