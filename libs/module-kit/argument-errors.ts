import type { ErrorDetail } from '@adit/contracts';
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** Returns a JSON Pointer (RFC 6901) to a place in the request's body. */
export function pointerTo(...path: PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/**
 * Lists every issue of one module's arguments, each with a pointer below `base`; each unknown argument is one entry.
 */
export function argumentDetails(base: PropertyKey[], issues: readonly Issue[]): ErrorDetail[] {
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path];
    const name = path.slice(1).map(String).join('.');
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        pointer: pointerTo(...path, key),
        code: 'unknown_argument',
        message: `${name} takes no argument ${key}.`,
      }));
    }
    const meant = issue.code === 'invalid_union' ? likeliest(issue.errors) : undefined;
    if (meant !== undefined) return argumentDetails(path, meant);
    return [{ pointer: pointerTo(...path), code: issue.code, message: `${name}: ${issue.message}.` }];
  });
}

/**
 * Chooses the alternative of a union that the client seems to have meant: the one that knows most of the given names.
 */
function likeliest(alternatives: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const unknownNames = (issues: readonly Issue[]) =>
    issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 0), 0);
  return [...alternatives].sort((a, b) => unknownNames(a) - unknownNames(b) || a.length - b.length)[0];
}
