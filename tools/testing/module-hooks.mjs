/** Node's module hooks of the workers that run specs. They run on a thread of their own. */
import { load as loadSource, resolve as resolveSource } from '../../libs/testing/source-hooks.mjs';

const GLOBALS = new URL('./globals.mjs', import.meta.url).href;

export async function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
  // Workspace packages resolve to their TypeScript source, never to a stale build.
  return resolveSource(specifier, { ...context, conditions: ['@adit/source', ...context.conditions] }, next);
}

export const load = loadSource;
