import { readFile } from 'node:fs/promises';

/** Kernel limits of a child from its first instruction. An omitted limit is not set. */
export interface ChildLimits {
  /** Bytes of private memory (RLIMIT_DATA, which unlike the address space counts writable memory). */
  dataBytes?: number | null;
  /** CPU seconds of all its threads together. */
  cpuSeconds?: number;
  /** Bytes of any one file it writes. */
  fileBytes?: number;
}

/** Many times the files of one chunk's pictures and a program's libraries. */
const OPEN_FILES = 256;
/** Seconds between SIGXCPU, which identifies the limit, and SIGKILL. */
const CPU_GRACE_SECONDS = 2;

/**
 * Returns prlimit's options, never above the limits set from outside (`own`, as in /proc/self/limits), which only root
 * may raise. The number of processes is not limited: the kernel counts all of the user's, including Adit's own threads.
 */
export function limitOptions(own: string, { dataBytes, cpuSeconds, fileBytes }: ChildLimits): string[] {
  const held = (name: string, wanted: number): number => {
    const hard = new RegExp(`^${name}\\s+\\S+\\s+(\\d+)\\s`, 'm').exec(own)?.[1];
    return hard === undefined ? wanted : Math.min(wanted, Number(hard));
  };
  const options = ['--core=0', `--nofile=${held('Max open files', OPEN_FILES)}`];
  if (dataBytes != null) options.push(`--data=${held('Max data size', Math.ceil(dataBytes))}`);
  if (fileBytes !== undefined) options.push(`--fsize=${held('Max file size', Math.ceil(fileBytes))}`);
  if (cpuSeconds !== undefined) {
    const hard = held('Max cpu time', Math.ceil(cpuSeconds) + CPU_GRACE_SECONDS);
    options.push(`--cpu=${Math.min(Math.ceil(cpuSeconds), hard)}:${hard}`);
  }
  return options;
}

/** Returns this process's limits as Linux lists them; empty elsewhere. */
export function ownLimits(): Promise<string> {
  // eslint-disable-next-line adit/no-lost-errors -- without them none is lowered too far
  return readFile('/proc/self/limits', 'utf8').catch(() => '');
}
