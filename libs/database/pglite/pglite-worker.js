// @ts-check
/**
 * The worker thread that hosts PGlite, so that a query never blocks the event loop of the process. Plain JavaScript,
 * because a worker loads it straight from the source folder in tests and from `dist` in a build.
 *
 * The main thread hands over one MessagePort per connection; on it PostgreSQL's wire protocol passes as bytes, whole
 * protocol messages at a time. PGlite is a single session, so connections are served one after the other.
 */
import { fsyncSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm as trigrams } from '@electric-sql/pglite/contrib/pg_trgm';
import { vector } from '@electric-sql/pglite-pgvector';

/** @typedef {import('node:worker_threads').MessagePort} MessagePort */

const TERMINATE = 'X'.charCodeAt(0);
/** One after the other: several statements in one query are a transaction, in which DISCARD ALL is refused. */
const RESET_SESSION = ['ROLLBACK', 'DISCARD ALL'].map(simpleQuery);
/** Plans of prepared statements are made for tables as large as they were then. */
const FORGET_PLANS = simpleQuery('DISCARD PLANS');
const PLANS_MILLISECONDS = 30_000;

/** @type {{ directory: string | null, durable: boolean, template: Uint8Array | null }} */
const { directory, durable, template } = workerData;
if (!parentPort) throw new Error('pglite-worker runs as a worker thread only.');
const main = parentPort;

/** @type {MessagePort[]} */
const waiting = [];
/** @type {MessagePort | null} */
let serving = null;

const database = await PGlite.create({
  ...(directory === null ? {} : { dataDir: directory }),
  ...(template === null ? {} : { loadDataDir: new Blob([new Uint8Array(template)], { type: 'application/x-gzip' }) }),
  ...(durable ? { startParams: durableStart() } : {}),
  extensions: { vector, pg_trgm: trigrams, ...(durable ? { fsync: fsyncOnDisk() } : {}) },
});

main.on('message', async (message) => {
  if (message.connect) {
    waiting.push(message.connect);
    serveNext();
  } else if (message.dump) {
    const dump = await database.dumpDataDir('gzip');
    main.postMessage({ dumped: new Uint8Array(await dump.arrayBuffer()) });
  } else if (message.close) {
    await database.close();
    main.postMessage({ closed: true });
    main.close();
  }
});
main.postMessage({ ready: true });

function serveNext() {
  const port = serving === null ? waiting.shift() : undefined;
  if (!port) return;
  serving = port;
  // One promise chain per connection keeps answers in the order of the requests.
  let last = Promise.resolve();
  let ended = false;
  let betweenTransactions = false;
  let forgetPlansAt = Date.now() + PLANS_MILLISECONDS;
  const end = () => {
    if (ended) return;
    ended = true;
    last = last.then(async () => {
      for (const statement of RESET_SESSION) await database.execProtocolRaw(statement);
      port.close();
      serving = null;
      serveNext();
    });
  };
  port.on('message', (/** @type {Uint8Array} */ bytes) => {
    if (bytes[0] === TERMINATE) return end();
    last = last.then(async () => {
      if (betweenTransactions && Date.now() > forgetPlansAt) {
        forgetPlansAt = Date.now() + PLANS_MILLISECONDS;
        await database.execProtocolRaw(FORGET_PLANS);
      }
      const answer = await database.execProtocolRaw(bytes);
      betweenTransactions = isReady(answer);
      // The answer to a start-up packet is a view into PGlite's own buffer, which must not be transferred away.
      const own = answer.byteLength === answer.buffer.byteLength ? answer : answer.slice();
      port.postMessage(own, [own.buffer]);
    });
  });
  port.on('close', end);
}

/**
 * Whether an answer ends with ReadyForQuery outside of a transaction.
 * @param {Uint8Array} answer
 */
function isReady(answer) {
  return answer.at(-6) === 'Z'.charCodeAt(0) && answer.at(-1) === 'I'.charCodeAt(0);
}

/** @param {string} text */
function simpleQuery(text) {
  const body = Buffer.from(`${text}\0`);
  const message = Buffer.alloc(5 + body.length);
  message.write('Q', 0);
  message.writeInt32BE(4 + body.length, 1);
  body.copy(message, 5);
  return new Uint8Array(message);
}

/** PGlite starts PostgreSQL with fsync off; ask for it back. Its fdatasync is an empty function, its fsync is not. */
function durableStart() {
  const parameters = PGlite.defaultStartParams.filter((parameter) => parameter !== '-F');
  return [...parameters, '-c', 'fsync=on', '-c', 'wal_sync_method=fsync'];
}

/** Emscripten's disk file system has no fsync of its own: without this one a commit would end in the page cache. */
function fsyncOnDisk() {
  return {
    name: 'fsync',
    /** @type {import('@electric-sql/pglite').ExtensionSetup} */
    setup: async (_pglite, emscriptenOpts) => ({
      emscriptenOpts: {
        ...emscriptenOpts,
        preRun: [
          ...(emscriptenOpts.preRun ?? []),
          (/** @type {any} */ module) => {
            module.FS.filesystems.NODEFS.stream_ops.fsync = (/** @type {{ nfd?: number }} */ stream) => {
              if (stream.nfd !== undefined) fsyncSync(stream.nfd);
              return 0;
            };
          },
        ],
      },
    }),
  };
}
