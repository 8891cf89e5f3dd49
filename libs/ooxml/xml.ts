const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text for XML 1.0, content and quoted attributes; what XML cannot hold becomes U+FFFD. */
export function xmlText(text: string): string {
  return (
    text
      // No other control characters, and no halves of surrogate pairs.
      .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
      .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
  );
}
