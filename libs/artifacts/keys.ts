/** Everything in the object store that dies with an export. */
export function exportPrefix(exportId: string): string {
  return `exports/${exportId}/`;
}
