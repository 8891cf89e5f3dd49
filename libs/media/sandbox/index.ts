/** Programs that run confined; nothing of media comes with it, for processes that start some and are to start fast. */
export { missingConfinement, networkShutBy, writesShut } from './confinement.js';
export { forkConfined } from './fork-confined.js';
export { startLauncher } from './launcher.js';
export { runChild } from './run-child.js';
