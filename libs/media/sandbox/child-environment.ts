/** How to find programs and libraries, and what makes glibc frugal; never a secret. */
const ENVIRONMENT = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SystemRoot', 'MALLOC_ARENA_MAX'];

/** The variables that a child gets of ours. @param more names, beside the few that every child gets */
export function childEnvironment(more: readonly string[] = []): NodeJS.ProcessEnv {
  // Their messages are read here.
  const env: NodeJS.ProcessEnv = { LC_ALL: 'C' };
  for (const name of [...ENVIRONMENT, ...more]) if (process.env[name] !== undefined) env[name] = process.env[name];
  return env;
}
