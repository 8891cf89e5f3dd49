// CPU time of a process, its threads and the children it has waited for; less shaken by a busy machine than wall time.
import { readFile } from 'node:fs/promises';
import { treeOf } from './pss.mjs';

/** Clock ticks of Linux's /proc, fixed at 100 a second for programs. */
const TICKS = 100;

/** Seconds. Linux only. */
export async function cpuSeconds(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // Behind the name in brackets: utime, stime, cutime and cstime are fields 14 to 17 of the whole line.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15);
  return fields.reduce((total, ticks) => total + Number(ticks), 0) / TICKS;
}

/** The same with all descendants that still run: what a model's own process took counts before it has ended. */
export async function treeCpuSeconds(root) {
  const times = await Promise.all((await treeOf(root)).map((pid) => cpuSeconds(pid).catch(() => 0)));
  return times.reduce((total, time) => total + time, 0);
}

/** Runs `work`; adds to its answer `cpu`, the CPU seconds of the process and all its descendants meanwhile. */
export async function withCpu(pid, work) {
  const before = await treeCpuSeconds(pid);
  const value = await work();
  return { ...value, cpu: (await treeCpuSeconds(pid)) - before };
}
