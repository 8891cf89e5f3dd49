import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { AditError, isRecord } from '@adit/contracts';
import { passingFault } from '@adit/runtime';
import { limitOptions, ownLimits, type ChildLimits } from './limits.js';
import { SOCKET_FILTER, WRITE_FILTER } from './call-filter.js';

const run = promisify(execFile);

/** Behind the engine itself, which has to answer its probes and renew its leases while films are decoded. */
const NICENESS = 5;

/** What this machine lets us do to a child. Each is a list of words in front of the command, or null. */
interface Means {
  /** A network namespace of its own. */
  namespace: readonly string[] | null;
  /** A filter of system calls that opens no socket: sockets that are files are in no namespace. */
  sockets: readonly string[] | null;
  /** The same, and one that opens no file to write to it either. */
  writes: readonly string[] | null;
  lifetime: readonly string[] | null;
  priority: readonly string[] | null;
  limits: readonly string[] | null;
}

let found: Promise<Means> | null = null;

/** Looked for once; what could not be found out is looked for again. */
function means(): Promise<Means> {
  found ??= findMeans().catch((error: unknown) => {
    found = null;
    throw error;
  });
  return found;
}

/**
 * The words that start `program` confined, as far as this machine can: without network, with its limits, behind the
 * engine, and ended by the kernel when the engine dies. Each word becomes the next, so it stays one process. Without `writes` it
 * writes only to what was opened for it, where `writesShut`.
 */
export async function confined(
  program: string,
  limits: ChildLimits,
  { network = false, writes = true }: { network?: boolean; writes?: boolean } = {},
): Promise<[string, ...string[]]> {
  const { namespace, sockets, writes: unwritten, lifetime, priority, limits: held } = await means();
  // The limits come last: what sets up the rest is not meant by them.
  const apart = network ? [] : [...(namespace ?? []), ...((writes ? sockets : (unwritten ?? sockets)) ?? [])];
  const words = [...apart, ...(lifetime ?? []), ...(priority ?? [])];
  if (held !== null) words.push(...held, ...limitOptions(await ownLimits(), limits));
  const [first = program, ...rest] = [...words, program];
  return [first, ...rest];
}

/** What children of this machine are not kept from, in sentences for whoever runs it; none is best. */
export async function missingConfinement(): Promise<string[]> {
  const { namespace, sockets, lifetime, limits } = await means();
  const missing: string[] = [];
  if (namespace === null && sockets === null) {
    missing.push(
      'ffmpeg and ffprobe share the network: neither unshare nor a seccomp filter by perl works here. Do not let this machine reach what clients must not.',
    );
  } else if (sockets === null) {
    missing.push(
      'ffmpeg and ffprobe reach sockets that are files, as those of Docker and PostgreSQL: a seccomp filter by perl does not work here. Run Adit as a user who may not open them.',
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

/** How children are kept from the network: `unshare`, `perl`, both, or null when they are not. */
export async function networkShutBy(): Promise<string | null> {
  const { namespace, sockets } = await means();
  const names = [namespace, sockets].flatMap((words) => words?.[0] ?? []);
  return names.length === 0 ? null : names.join(' and ');
}

/** Whether a child can be kept from every file but those that were opened for it. */
export async function writesShut(): Promise<boolean> {
  return (await means()).writes !== null;
}

async function findMeans(): Promise<Means> {
  const linux = process.platform === 'linux';
  const first = async (...candidates: (readonly string[])[]): Promise<readonly string[] | null> => {
    for (const words of candidates) if (await works(words)) return words;
    return null;
  };
  const [namespace, sockets, writes, lifetime, priority, limits] = await Promise.all([
    // A namespace of its own takes root or the right to make users' ones, which containers refuse.
    linux ? first(['unshare', '-n', '--'], ['unshare', '-rn', '--']) : null,
    linux ? first(SOCKET_FILTER) : null,
    linux ? first(WRITE_FILTER) : null,
    linux ? first(['setpriv', '--pdeathsig', 'KILL', '--']) : null,
    process.platform === 'win32' ? null : first(['nice', '-n', String(NICENESS)]),
    linux ? first(['prlimit', '--core=0']) : null,
  ]);
  return { namespace, sockets, writes, lifetime, priority, limits: limits && ['prlimit'] };
}

/** Throws UNAVAILABLE when that cannot be told now: a child without a word that would work is not confined by it. */
export async function works([program = '', ...words]: readonly string[], timeoutSeconds = 60): Promise<boolean> {
  try {
    await run(program, [...words, 'true'], { timeout: timeoutSeconds * 1000, killSignal: 'SIGKILL' });
    return true;
  } catch (error) {
    const isKilled = isRecord(error) && error['signal'] === 'SIGKILL';
    // Stopped by us or for want of memory, or never started for want of something; else it is not there or said no.
    if (!isKilled && passingFault(error) === null) return false;
    throw new AditError('UNAVAILABLE', `It cannot be told now whether ${program} works here.`, { cause: error });
  }
}
