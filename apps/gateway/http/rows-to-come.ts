import { AditError } from '@adit/contracts';
import { API_PREFIX } from './api-prefix.js';

interface RowToCome {
  methods: readonly string[];
  path: RegExp;
  missing: string;
}

const rows = (missing: string, cells: [methods: string, path: string][]): RowToCome[] =>
  cells.map(([methods, path]) => ({
    methods: methods.split(' '),
    path: new RegExp(`^${API_PREFIX}/v1${path.replace(/:[a-z]+/g, '[^/]+').replace(/\/$/, '')}/?$`),
    missing,
  }));

/** What is published and not there yet; a row goes from here when it is built. */
const TO_COME: readonly RowToCome[] = [...rows('canaries of models', [['POST', '/models/:id/canary/']])];

/** NOT_IMPLEMENTED for a row of the interface that is not there yet; null for any other address or method. */
export function notYet(method: string, path: string): AditError | null {
  const asked = method === 'HEAD' ? 'GET' : method;
  const row = TO_COME.find(({ methods, path: pattern }) => methods.includes(asked) && pattern.test(path));
  if (row === undefined) return null;
  const message = `This part of the interface does not exist yet: ${row.missing}.`;
  return new AditError('NOT_IMPLEMENTED', message, { errors: [{ pointer: '', code: 'not_implemented', message }] });
}

/** The methods that an address is published with and does not take yet; none for any other address. */
export function methodsToCome(path: string): string[] {
  const methods = TO_COME.filter(({ path: pattern }) => pattern.test(path)).flatMap((row) => row.methods);
  return [...new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods)].sort();
}
