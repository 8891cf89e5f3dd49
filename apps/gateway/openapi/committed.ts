import { loadModules } from '@adit/modules';
import { openApiDocument } from './document.js';

/** The document as it is committed, for readers and for the difference a change makes. */
export const documentPath = new URL('../../../docs/api/openapi.json', import.meta.url);

export async function documentText(): Promise<string> {
  return `${JSON.stringify(openApiDocument(await loadModules()), null, 2)}\n`;
}
