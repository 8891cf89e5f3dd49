// Ends a process together with the npm that started it. npm signals only the shell of its script, which dies without passing the
// signal on.
import { readFileSync } from 'node:fs';

const POLL_MS = 500;

/** Process names of the shells that npm runs scripts with. */
const SHELL = /^(ba|da|a|z|k|mk)?sh$|^busybox$/;

/**
 * Sends this process SIGTERM once the shell that started it, or npm above that, is gone. A shell that becomes its last
 * command, as bash does, leaves npm itself as the parent, and what is above npm is no concern of ours. Does nothing for a
 * process that npm did not start: that may well outlive its terminal.
 */
export function endWithParent(environment = process.env) {
  if (environment.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const isShell = SHELL.test(nameOf(parent));
  const npm = isShell ? parentOf(parent) : null;
  const timer = setInterval(() => {
    if (process.ppid === parent && (!isShell || parentOf(parent) === npm)) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, POLL_MS);
  timer.unref();
}

/** Name of a process; empty where the system does not say. */
function nameOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

/** Id of the parent process; null where the system does not say. */
function parentOf(pid) {
  try {
    // The name of the program stands in parentheses and may hold anything.
    return Number(/^.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return null;
  }
}
