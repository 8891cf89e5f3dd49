import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { limitOptions, ownLimits, type ChildLimits } from './limits.js';
import { SOCKET_FILTER } from './socket-filter.js';

const run = promisify(execFile);

/** Behind the engine itself, which has to answer its probes and renew its leases while films are decoded. */
const NICENESS = 5;

/** What this machine lets us do to a child. Each is a list of words in front of the command, or null. */
interface Means {
  network: readonly string[] | null;
  lifetime: readonly string[] | null;
  priority: readonly string[] | null;
  limits: readonly string[] | null;
}

let found: Promise<Means> | null = null;

/**
 * The words that start `program` confined, as far as this machine can: without network, with its limits, behind the
 * engine, and ended by the kernel when the engine dies. Each word becomes the next, so it stays one process.
 */
export async function confined(
  program: string,
  limits: ChildLimits,
  { network = false }: { network?: boolean } = {},
): Promise<[string, ...string[]]> {
  const means = await (found ??= findMeans());
  // The limits come last: what sets up the rest is not meant by them.
  const words = [...((network ? null : means.network) ?? []), ...(means.lifetime ?? []), ...(means.priority ?? [])];
  if (means.limits !== null) words.push(...means.limits, ...limitOptions(await ownLimits(), limits));
  const [first = program, ...rest] = [...words, program];
  return [first, ...rest];
}

/** What children of this machine are not kept from, in sentences for whoever runs it; none is best. */
export async function missingConfinement(): Promise<string[]> {
  const { network, lifetime, limits } = await (found ??= findMeans());
  const missing: string[] = [];
  if (network === null) {
    missing.push(
      'ffmpeg and ffprobe share the network: neither unshare nor a seccomp filter by perl works here. Do not let this machine reach what clients must not.',
    );
  }
  if (limits === null) {
    missing.push(
      'ffmpeg and ffprobe have no limits of memory, CPU and files: prlimit (util-linux) does not work here.',
    );
  }
  if (lifetime === null) {
    missing.push('ffmpeg outlives an engine that is killed: setpriv --pdeathsig (util-linux) does not work here.');
  }
  return missing;
}

/** How children are kept from the network: `unshare`, `perl`, or null when they are not. */
export async function networkShutBy(): Promise<string | null> {
  return (await (found ??= findMeans())).network?.[0] ?? null;
}

async function findMeans(): Promise<Means> {
  const linux = process.platform === 'linux';
  const first = async (...candidates: (readonly string[])[]): Promise<readonly string[] | null> => {
    for (const words of candidates) if (await works(words)) return words;
    return null;
  };
  const [network, lifetime, priority, limits] = await Promise.all([
    // A namespace of its own takes root or the right to make users' ones, which containers refuse.
    linux ? first(['unshare', '-n', '--'], ['unshare', '-rn', '--'], SOCKET_FILTER) : null,
    linux ? first(['setpriv', '--pdeathsig', 'KILL', '--']) : null,
    process.platform === 'win32' ? null : first(['nice', '-n', String(NICENESS)]),
    linux ? first(['prlimit', '--core=0']) : null,
  ]);
  return { network, lifetime, priority, limits: limits && ['prlimit'] };
}

async function works([program = '', ...words]: readonly string[]): Promise<boolean> {
  return run(program, [...words, 'true']).then(
    () => true,
    () => false,
  );
}
