const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True when the text is a UUID, which the database can compare. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
