import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { AditError, isRecord } from '@adit/contracts';
import { passingFault } from '@adit/runtime';
import { limitOptions, ownLimits, type ChildLimits } from './limits.js';
import { PORT_RULES, SOCKET_FILTER, tcpFilter, WRITE_FILTER } from './call-filter.js';

const run = promisify(execFile);

/** Lower priority than the engine, which has to answer probes and renew leases during decoding. */
const NICENESS = 5;

/** Confinement that this machine supports. Each is a list of words in front of the command, or null. */
interface Means {
  /** A network namespace of its own. */
  namespace: readonly string[] | null;
  /** A filter that forbids sockets: UNIX sockets are in no namespace. */
  sockets: readonly string[] | null;
  /** The same filter, also forbidding files to be opened for writing. */
  writes: readonly string[] | null;
  /** Tells whether `tcpFilter` works. */
  tcp: boolean;
  /** Tells whether it keeps children to their one port. */
  ports: boolean;
  lifetime: readonly string[] | null;
  priority: readonly string[] | null;
  limits: readonly string[] | null;
}

let found: Promise<Means> | null = null;

/** Detects the means once; an inconclusive detection is repeated. */
function means(): Promise<Means> {
  found ??= findMeans().catch((error: unknown) => {
    found = null;
    throw error;
  });
  return found;
}

/**
 * Returns the words that start `program` confined, as far as this machine can: without network, with its limits, at
 * lower priority, and killed by the kernel when the engine dies. Each word replaces itself with the next, so that it
 * stays one process. Without `writes` it writes only to descriptors that were opened for it, where `writesShut`. With
 * a `port` it may make TCP connections to that port and do nothing else on the network.
 */
export async function confined(
  program: string,
  limits: ChildLimits,
  { network = false, writes = true }: { network?: boolean | { port: number }; writes?: boolean } = {},
): Promise<[string, ...string[]]> {
  const { namespace, sockets, writes: unwritten, tcp, lifetime, priority, limits: held } = await means();
  // The limits come last, since they must not apply to the set-up.
  const filter = typeof network === 'object' && tcp ? tcpFilter(network.port, writes) : [];
  const apart =
    network !== false ? filter : [...(namespace ?? []), ...((writes ? sockets : (unwritten ?? sockets)) ?? [])];
  const words = [...apart, ...(lifetime ?? []), ...(priority ?? [])];
  if (held !== null) words.push(...held, ...limitOptions(await ownLimits(), limits));
  const [first = program, ...rest] = [...words, program];
  return [first, ...rest];
}

/** Returns the missing confinement of children on this machine, in sentences for operators; empty is best. */
export async function missingConfinement(): Promise<string[]> {
  return missingOf(await means());
}

/** The same of these means. */
export function missingOf({
  namespace,
  sockets,
  tcp,
  ports,
  lifetime,
  limits,
}: Pick<Means, 'namespace' | 'sockets' | 'tcp' | 'ports' | 'lifetime' | 'limits'>): string[] {
  const missing: string[] = [];
  if (namespace === null && sockets === null) {
    missing.push(
      'ffmpeg and ffprobe share the network: neither unshare nor a seccomp filter by perl works here. Do not let this machine reach what clients must not.',
    );
  } else {
    if (sockets === null) {
      missing.push(
        'ffmpeg and ffprobe reach sockets that are files, as those of Docker and PostgreSQL: a seccomp filter by perl does not work here. Run Adit as a user who may not open them.',
      );
    }
    if (!tcp || !ports) {
      missing.push(
        'the ffmpeg that copies RTSP and RTMP, and yt-dlp, could connect to more than the one port that they need: Linux has no Landlock for the network here (6.7 or newer, switched on). Do not let this machine reach what clients must not.',
      );
    }
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

/** Returns the means that block the network for children: `unshare`, `perl`, both, or null. */
export async function networkShutBy(): Promise<string | null> {
  const { namespace, sockets } = await means();
  const names = [namespace, sockets].flatMap((words) => words?.[0] ?? []);
  return names.length === 0 ? null : names.join(' and ');
}

/** Tests whether children can be restricted to files that were opened for them. */
export async function writesShut(): Promise<boolean> {
  return (await means()).writes !== null;
}

async function findMeans(): Promise<Means> {
  const linux = process.platform === 'linux';
  const first = async (...candidates: (readonly string[])[]): Promise<readonly string[] | null> => {
    for (const words of candidates) if (await works(words)) return words;
    return null;
  };
  const [namespace, sockets, writes, tcp, ports, lifetime, priority, limits] = await Promise.all([
    // A network namespace needs root or the right to create user namespaces, which containers refuse.
    linux ? first(['unshare', '-n', '--'], ['unshare', '-rn', '--']) : null,
    linux ? first(SOCKET_FILTER) : null,
    linux ? first(WRITE_FILTER) : null,
    linux && works(tcpFilter(1)),
    linux && works(PORT_RULES),
    linux ? first(['setpriv', '--pdeathsig', 'KILL', '--']) : null,
    process.platform === 'win32' ? null : first(['nice', '-n', String(NICENESS)]),
    linux ? first(['prlimit', '--core=0']) : null,
  ]);
  return { namespace, sockets, writes, tcp, ports, lifetime, priority, limits: limits && ['prlimit'] };
}

/**
 * Tests whether a confinement works. Throws UNAVAILABLE when that cannot be told now, since a child without a working
 * word would not be confined.
 */
export async function works([program = '', ...words]: readonly string[], timeoutSeconds = 60): Promise<boolean> {
  try {
    await run(program, [...words, 'true'], { timeout: timeoutSeconds * 1000, killSignal: 'SIGKILL' });
    return true;
  } catch (error) {
    const isKilled = isRecord(error) && error['signal'] === 'SIGKILL';
    // Killed by us or for lack of memory, or never started for lack of resources; any other error means that it is
    // missing or refused.
    if (!isKilled && passingFault(error) === null) return false;
    throw new AditError('UNAVAILABLE', `Cannot test now whether ${program} works here.`, { cause: error });
  }
}
