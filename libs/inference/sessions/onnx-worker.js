// @ts-check
/**
 * Worker thread, or child process, that hosts ONNX Runtime, whose synchronous `run` would block the event loop
 * elsewhere. Plain JavaScript, because a worker loads it straight from the source folder in tests and from `dist` in a
 * build.
 *
 * Calls are served in order; each is answered under its number.
 */
import { readlinkSync, readSync, writeSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename, dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import ort from 'onnxruntime-node';
import { HeldTensors } from './held-tensors.js';
import { ortTensor, readTensor } from './ort-tensor.js';
import { putTensors, takeTensors } from './tensor-slots.js';

/** @typedef {import('./onnx-graph.js').GraphTensor} GraphTensor */

/** The code that rewrites graphs is compiled: it runs from the build, also when this file is source. */
const IS_BUILT = basename(dirname(import.meta.dirname)) === 'dist';
const MADE_GRAPH = new URL(`../${IS_BUILT ? '' : 'dist/'}graph/made-graph.js`, import.meta.url).href;

/**
 * Priority of the thread: below the engine, which has to answer, and below ffmpeg (NICENESS of @adit/media), whose
 * pictures networks wait for. With equal priority a busy machine decoded each chunk of a film only when no analysis was
 * left.
 */
const NICENESS = 8;

const main = parentPort ?? parentProcess();
if (parentPort !== null) stepBack();
/**
 * Shared with the main thread: whether a call is being served, and whether none may start any more. A process is simply
 * killed.
 * @type {Int32Array}
 */
const state = workerData?.state ?? new Int32Array(2);
const BUSY = 0;
const STOPPED = 1;

/** @type {Map<number, import('onnxruntime-node').InferenceSession>} */
const sessions = new Map();
/**
 * Memory by input name, for inputs that are shared or lie in a file: ONNX Runtime takes no shared memory, and no run
 * outlives its call.
 * @type {Map<string, ArrayBuffer>}
 */
const scratch = new Map();
const held = new HeldTensors();
/** Descriptor of the shared file for tensors, which a process may have been given. */
const descriptor = parentPort === null ? Number(process.argv[2]) : NaN;
/** Synchronous access blocks nothing else in this process. @type {import('./tensor-slots.js').SlotFile} */
const file = {
  read: (view, at) => readSync(descriptor, view, 0, view.byteLength, at),
  write: (view, at) => writeSync(descriptor, view, 0, view.byteLength, at),
};

let last = Promise.resolve();
main.on('message', (message) => {
  last = last.then(async () => {
    Atomics.store(state, BUSY, 1);
    // A thread that is ended inside ONNX Runtime aborts the whole process, so an exit waits for the current call.
    if (Atomics.load(state, STOPPED) === 0) await answer(message);
    Atomics.store(state, BUSY, 0);
    Atomics.notify(state, BUSY);
  });
});

/** Lowers the priority of this thread. Only Linux has a niceness per thread; elsewhere nothing changes. */
function stepBack() {
  if (process.platform !== 'linux') return;
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, Math.min(19, getPriority() + NICENESS));
  } catch {
    // There is no /proc, or a sandbox forbids it.
  }
}

/** @param {any} message */
async function answer({ call, load, run, step, feeds, slot, wanted, keep, drop, release, close }) {
  try {
    if (load) {
      const session = await created(await loadable(load.model), load.options);
      sessions.set(call, session);
      main.postMessage({ call, value: { inputs: session.inputMetadata, outputs: session.outputMetadata } });
    } else if (run) {
      const fed = feedsOf(await taken(feeds, slot));
      const start = performance.now();
      const results = await sessionOf(run).run(fed);
      const seconds = (performance.now() - start) / 1000;
      const outputs = Object.entries(results).flatMap(([name, output]) => {
        const tensor = readTensor(output);
        return tensor === null ? [] : [{ ...tensor, name, data: sendable(tensor.data) }];
      });
      await answerTensors(call, outputs, slot, seconds);
    } else if (step) {
      const fed = (await taken(feeds, slot)).map((feed) => ('held' in feed ? feed : { ...feed, data: unshared(feed) }));
      const start = performance.now();
      const outputs = await held.run(ort, sessionOf(step), { feeds: fed, wanted, keep });
      await answerTensors(call, outputs, slot, (performance.now() - start) / 1000);
    } else if (drop) {
      held.drop(drop);
      main.postMessage({ call });
    } else if (release !== undefined) {
      const session = sessions.get(release);
      sessions.delete(release);
      await session?.release();
      main.postMessage({ call });
    } else if (close) {
      for (const session of sessions.values()) await session.release();
      sessions.clear();
      main.postMessage({ call });
      main.close();
    }
  } catch (error) {
    const { message, code } = /** @type {{ message?: string, code?: string }} */ (Object(error));
    main.postMessage({ call, error: message ?? String(error), isRefused: code === 'VALIDATION' });
  }
}

/**
 * @param {import('../graph/made-graph.js').GraphSource} source
 * @returns {Promise<string | Uint8Array>}
 */
async function loadable(source) {
  if (typeof source === 'string' || !('form' in source)) return source;
  /** @type {typeof import('../graph/made-graph.js')} */
  const { madeGraph } = await import(MADE_GRAPH);
  return madeGraph(source);
}

/**
 * @param {string | Uint8Array} model
 * @param {import('onnxruntime-node').InferenceSession.SessionOptions} options
 */
function created(model, options) {
  return typeof model === 'string'
    ? ort.InferenceSession.create(model, options)
    : ort.InferenceSession.create(model, options);
}

/**
 * @param {any[]} feeds
 * @param {number | undefined} slot in the file, if any
 * @returns {Promise<any[]>}
 */
async function taken(feeds, slot) {
  return slot === undefined ? feeds : takeTensors(file, slot, feeds, scratchFor);
}

/**
 * @param {number} call
 * @param {any[]} outputs
 * @param {number | undefined} slot
 * @param {number} seconds that the run took
 */
async function answerTensors(call, outputs, slot, seconds) {
  const value = slot === undefined ? outputs : await putTensors(file, slot, outputs);
  main.postMessage(
    { call, value, seconds },
    outputs.flatMap((output) => ('data' in output ? [/** @type {ArrayBuffer} */ (output.data.buffer)] : [])),
  );
}

/**
 * Copies data before a transfer, since it may belong to ONNX Runtime. A channel copies as it is written.
 * @param {GraphTensor['data']} data
 */
function sendable(data) {
  return parentPort === null ? data : data.slice();
}

/**
 * Makes the parent process look like a thread's parent port; memory is copied in both directions.
 * @returns {{ on(event: 'message', listen: (message: any) => void): void, postMessage(message: object, moved?: any[]):
 * void, close(): void }}
 */
function parentProcess() {
  if (!process.send) throw new Error('onnx-worker runs as a worker thread, or as a child with a channel, only.');
  // Terminal signals reach the whole process group; the parent decides when this process ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
  return {
    on: (event, listen) => void process.on(event, listen),
    postMessage: (message) => void process.send?.(message),
    close: () => process.disconnect(),
  };
}

/** @param {number} id */
function sessionOf(id) {
  const session = sessions.get(id);
  if (!session) throw new Error('The session was released.');
  return session;
}

/** @param {GraphTensor[]} inputs */
function feedsOf(inputs) {
  /** @type {Record<string, import('onnxruntime-node').Tensor>} */
  const feeds = {};
  for (const input of inputs) feeds[input.name] = ortTensor(ort, input.type, unshared(input), input.dims);
  return feeds;
}

/** @param {GraphTensor} input */
function unshared({ name, data }) {
  if (!(data.buffer instanceof SharedArrayBuffer)) return data;
  // Arrays of one type.
  const Data = /** @type {Float32ArrayConstructor} */ (data.constructor);
  const own = new Data(scratchFor(name, data.byteLength), 0, data.length);
  own.set(/** @type {Float32Array} */ (data));
  return own;
}

/**
 * @param {string} name
 * @param {number} bytes
 */
function scratchFor(name, bytes) {
  const own = scratch.get(name);
  if (own !== undefined && own.byteLength >= bytes) return own;
  const made = new ArrayBuffer(bytes);
  scratch.set(name, made);
  return made;
}
