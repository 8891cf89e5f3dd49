// Settings of all processes of a chaos or upgrade run.
export const KEY = 'a-key-of-the-chaos-run-alone';

/**
 * The environment of a process.
 *
 * @param {string[]} roots Folders of the media.
 * @param {Record<string, string>} [more]
 */
export function chaosEnvironment(roots, more) {
  return {
    ...process.env,
    NODE_OPTIONS: '',
    ADIT_LOG_FORMAT: 'json',
    ADIT_LOG_LEVEL: 'warn',
    ADIT_API_KEY: KEY,
    ADIT_LOCAL_ROOTS: roots.join(','),
    ADIT_ALLOW_PRIVATE_ADDRESSES: '127.0.0.1/32',
    ADIT_WEBHOOK_ALLOW_HTTP: 'true',
    ADIT_WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1/32',
    // One row and one thread a run: results are repeatable to the byte.
    ADIT_INFERENCE_THREADS: '1',
    ADIT_INFERENCE_WORKERS: '1',
    // A SIGKILL from outside looks like a crash of native code, and no chunk is poison here.
    ADIT_MAX_ATTEMPTS: '20',
    ...more,
  };
}
