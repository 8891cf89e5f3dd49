const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether the database can be asked for it at all. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
