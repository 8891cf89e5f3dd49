// MediaMTX, a server of live streams, built by Go from its published module.
import { Step } from '../setup/step.mjs';
import { ensurePublishedProgram, findPublishedProgram } from './go.mjs';

const PROGRAM = {
  name: 'mediamtx',
  title: 'MediaMTX',
  module: 'github.com/bluenviron/mediamtx@v1.14.0',
  sum: 'h1:4Dh54RnBP4tOdseCZOHBrvGHCiWkp2GkdjujpA5bRmQ=',
  main: '.',
  // The second is for its page in browsers, which no spec opens.
  made: { 'internal/core/VERSION': 'v1.14.0', 'internal/servers/hls/hls.min.js': '// left out' },
};

let preparing = null;

/** The path of the program, built unless it is there. Throws a SetupError with what to do; tried once per process. */
export function prepareMediamtx() {
  preparing ??= prepare();
  return preparing;
}

/** The same as a result: the program, or the reason why there is none. */
export async function triedMediamtx() {
  try {
    return { program: await prepareMediamtx() };
  } catch (error) {
    return { reason: error.message };
  }
}

async function prepare() {
  const found = process.env.ADIT_MEDIAMTX ?? findPublishedProgram(PROGRAM);
  if (found) return found;
  const step = new Step({ live: false });
  let failed = true;
  try {
    const program = await ensurePublishedProgram(step, PROGRAM);
    failed = false;
    return program;
  } finally {
    step.end(failed);
  }
}
