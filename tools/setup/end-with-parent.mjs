// What npm started ends with npm: it hands its signals to the shell of a script alone, which dies without passing them on.
import { readFileSync } from 'node:fs';

const POLL_MS = 500;

/**
 * Sends this process SIGTERM once the shell that started it, or npm above that, is gone. Does nothing for a process that
 * npm did not start: that may well outlive its terminal.
 */
export function endWithParent(environment = process.env) {
  if (environment.npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  const npm = parentOf(shell);
  const timer = setInterval(() => {
    if (process.ppid === shell && parentOf(shell) === npm) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, POLL_MS);
  timer.unref();
}

/** Null where the system does not tell. */
function parentOf(pid) {
  try {
    // The name of the program stands in parentheses and may hold anything.
    return Number(/^.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return null;
  }
}
