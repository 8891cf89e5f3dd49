/** Variables that locate programs and libraries or reduce glibc's memory; never a secret. */
const ENVIRONMENT = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SystemRoot', 'MALLOC_ARENA_MAX'];

/** Returns the environment of a child process. @param more names to pass on, beside the few that every child gets */
export function childEnvironment(more: readonly string[] = []): NodeJS.ProcessEnv {
  // Error messages of children are parsed here.
  const env: NodeJS.ProcessEnv = { LC_ALL: 'C' };
  for (const name of [...ENVIRONMENT, ...more]) if (process.env[name] !== undefined) env[name] = process.env[name];
  return env;
}
