import type { ErrorDetail } from '@adit/contracts';
import type { z } from 'zod';

/** A JSON Pointer (RFC 6901) to a place in the request's body. */
export function pointerTo(...path: PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function moduleList(ids: string[]): string {
  return ids.length === 0 ? 'none' : ids.join(', ');
}

/** Every issue of one module's arguments, each with a pointer below `base`; an unknown argument is one entry each. */
export function argumentDetails(base: string[], error: z.ZodError): ErrorDetail[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        pointer: pointerTo(...base, ...issue.path, key),
        code: 'unknown_argument',
        message: `${[...base.slice(1), ...issue.path].join('.')} takes no argument ${key}.`,
      }));
    }
    const name = [...base.slice(1), ...issue.path].join('.');
    return [{ pointer: pointerTo(...base, ...issue.path), code: issue.code, message: `${name}: ${issue.message}.` }];
  });
}
