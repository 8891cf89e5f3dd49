import { AditError } from '@adit/contracts';
import type { ErrorDetail } from '@adit/contracts';
import { pointerTo } from '@adit/module-kit';
import { StandardSchemaValidationPipe } from '@nestjs/common';
import type { z } from 'zod';

/** The number of errors that a reply shows. */
const MAX_DETAILS = 50;

/** Nest's own pipe over the routes' schemas; what is wrong becomes one VALIDATION error with a pointer per place. */
export function requestValidation(): StandardSchemaValidationPipe {
  return new StandardSchemaValidationPipe({
    validateCustomDecorators: true,
    exceptionFactory: (issues) => {
      // The schemas are of zod: so are their issues.
      const errors = (issues as readonly z.core.$ZodIssue[])
        .slice(0, MAX_DETAILS)
        .flatMap(detailsOf)
        .slice(0, MAX_DETAILS);
      return new AditError('VALIDATION', errors.map(({ message }) => message).join(' '), { errors });
    },
  });
}

/** An issue whose path begins with the part of the request it lies in (`body`, `query`, …). */
export function detailsOf(issue: z.core.$ZodIssue): ErrorDetail[] {
  const [part, ...path] = issue.path;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: pointerOf(part, [...path, key]),
      code: 'unknown_field',
      // The message for a query parameter names the known ones.
      message: part === 'query' ? issue.message : `${nameOf(part, [...path, key])} is not known here.`,
    }));
  }
  if (issue.code === 'invalid_union') {
    const fewest = [...issue.errors].sort((a, b) => a.length - b.length)[0] ?? [];
    if (fewest.length > 0) {
      return fewest.flatMap((inner) => detailsOf({ ...inner, path: [...issue.path, ...inner.path] }));
    }
  }
  const missingBody = part === 'body' && path.length === 0 && 'input' in issue && issue.input === undefined;
  const message = missingBody ? 'expected a JSON body' : issue.message;
  return [{ pointer: pointerOf(part, path), code: issue.code, message: `${nameOf(part, path)}: ${message}.` }];
}

/** A JSON Pointer into the body, `?name` for a query parameter, the variable's name for the path. */
function pointerOf(part: PropertyKey | undefined, path: PropertyKey[]): string {
  if (part === 'body') return pointerTo(...path);
  return part === 'query' ? `?${path.map(String).join('.')}` : path.map(String).join('.');
}

function nameOf(part: PropertyKey | undefined, path: PropertyKey[]): string {
  if (path.length === 0) return part === 'body' ? 'The body' : String(part ?? 'The request');
  return path.map(String).join('.').slice(0, 200);
}
