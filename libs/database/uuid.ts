const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The least UUID: every other is behind it. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** True when the text is a UUID, which the database can compare. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
