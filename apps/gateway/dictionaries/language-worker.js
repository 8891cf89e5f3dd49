import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

/** Behind the engine, as the programs are that it runs over media. */
const NICENESS = 5;

// Linux has a priority for each thread; elsewhere it would be that of the whole process.
if (process.platform === 'linux') setPriority(Math.min(19, getPriority() + NICENESS));

// Loading the detector's tables takes half a second of CPU.
const loaded = import('eld/small');
parentPort.on('message', async (text) => {
  const { eld } = await loaded;
  const detected = eld.detect(text);
  parentPort.postMessage({ language: detected.language, isReliable: detected.isReliable() });
});
