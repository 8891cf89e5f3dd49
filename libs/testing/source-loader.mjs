/**
 * Lets a plain Node process, or a thread, run the repository's TypeScript: for tests that need a process to kill or start a
 * thread. `node --conditions=@adit/source --import ./source-loader.mjs program.ts`.
 */
import { register } from 'node:module';

register('./source-hooks.mjs', import.meta.url);
