import type { Worker } from 'node:worker_threads';
import { startThread } from '../our-thread.js';

/** A thread of `echo-worker.ts`. */
export const startEcho = (): Worker => startThread('echo-worker', import.meta.url);
