/**
 * Lets a plain Node process, or a thread, run the repository's TypeScript: for tests that need a process to kill or start a
 * thread. `node --conditions=@adit/source --import ./source-loader.mjs program.ts`.
 */
import * as modules from 'node:module';

// On the loading thread itself, where Node can (22.15 and later): otherwise each module takes a message to another and back.
// eslint-disable-next-line n/no-unsupported-features/node-builtins -- asked for first
if ('registerHooks' in modules) modules.registerHooks(await import('./source-hooks.mjs'));
else modules.register('./source-hooks.mjs', import.meta.url);
