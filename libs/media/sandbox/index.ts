/** Confined child processes, separate from the media code for processes that have to start fast. */
export { missingConfinement, networkShutBy, writesShut } from './confinement.js';
export { forkConfined } from './fork-confined.js';
export { startLauncher } from './launcher.js';
export { openChild, type OpenedChild } from './open-child.js';
export { runChild } from './run-child.js';
