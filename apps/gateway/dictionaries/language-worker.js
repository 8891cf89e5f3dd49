import { parentPort } from 'node:worker_threads';

// A thread for one text: loading the detector's tables takes seconds of CPU, and they take memory that ends with it.
parentPort.once('message', async (text) => {
  const { eld } = await import('eld/small');
  const detected = eld.detect(text);
  parentPort.postMessage({ language: detected.language, isReliable: detected.isReliable() });
});
