const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text for HTML and XML, content and quoted attributes: tags, labels and file names come from clients. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** JSON for a `<script type="application/json">`: no `<`, so that nothing in it can end the element. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replace(/</g, '\\u003c')
    .replace(/[\u2028\u2029]/g, (character) => (character === '\u2028' ? '\\u2028' : '\\u2029'));
}

/** The same in pieces: elements of arrays, wherever they lie less than three objects deep, one after the other. */
export function* scriptJsonPieces(value: unknown, depth = 3): Generator<string> {
  if (Array.isArray(value)) {
    yield '[';
    for (const [index, element] of value.entries()) yield `${index === 0 ? '' : ','}${scriptJson(element ?? null)}`;
    yield ']';
  } else if (depth > 0 && typeof value === 'object' && value !== null) {
    let separator = '{';
    for (const [key, property] of Object.entries(value)) {
      if (property === undefined) continue;
      yield `${separator}${scriptJson(key)}:`;
      yield* scriptJsonPieces(property, depth - 1);
      separator = ',';
    }
    yield separator === '{' ? '{}' : '}';
  } else yield scriptJson(value);
}
