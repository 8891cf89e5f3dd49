import { readFile } from 'node:fs/promises';

/** What the kernel holds a child to from its first instruction. What is left out is not limited by us. */
export interface ChildLimits {
  /** Bytes of private memory (RLIMIT_DATA, which unlike the address space counts what a process really may write to). */
  dataBytes?: number | null;
  /** Seconds of all its threads together. */
  cpuSeconds?: number;
  /** Bytes of any one file it writes. */
  fileBytes?: number;
}

/** As many as one chunk's pictures and a program's libraries take, many times over. */
const OPEN_FILES = 256;
/** Between the signal that can be told from others and the one that ends whatever ignores it. */
const CPU_GRACE_SECONDS = 2;

/**
 * prlimit's options. Never above what was set from outside (`own`, as in /proc/self/limits), which only root may raise. Not
 * the number of processes: the kernel counts all that the user has, Adit's own threads included.
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

/** This process's limits as Linux lists them; empty elsewhere. */
export function ownLimits(): Promise<string> {
  // eslint-disable-next-line adit/no-lost-errors -- without them none is lowered too far
  return readFile('/proc/self/limits', 'utf8').catch(() => '');
}
