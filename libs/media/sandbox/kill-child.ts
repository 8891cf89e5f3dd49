/** Kills a process or its whole group, whose members may outlive the leader and keep its pipes open. */
export function killChild(pid: number | undefined, group: boolean): void {
  try {
    if (pid !== undefined) process.kill(group ? -pid : pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
