import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode } from '@adit/contracts';
import { z } from 'zod';

/** A process, as another one is told of it: the pid alone says nothing after a restart, the start time makes it unique. */
export const ProcessIdentity = z.object({
  pid: z.int(),
  /** Clock ticks since boot when the process began; null where /proc does not tell. */
  started: z.string().nullable(),
  /** Pids compare only within one boot of one pid namespace. */
  realm: z.string(),
});
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, started: startTime(process.pid), realm: realm() };
}

/** Tells whether it is there; null for one of another host or container, which cannot be looked up. */
export function isRunning(other: ProcessIdentity): boolean | null {
  if (other.realm !== realm()) return null;
  if (other.pid === process.pid) return other.started === startTime(process.pid);
  try {
    if (other.pid <= 0) return false;
    process.kill(other.pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
  }
  return other.started === null || other.started === startTime(other.pid);
}

/** Field 22 of /proc/<pid>/stat; the fields are counted after the command, which may hold spaces and brackets. */
function startTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function realm(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()} ${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}
