// Every process is asked to end and started again while jobs run, as an upgrade does it.

/** What docker compose and the chart leave a process to finish or hand back its work. */
const GRACE_MS = 30_000;

/**
 * One process of every service at a time: all first ones, then all second ones. Answers how many were restarted; those
 * that did not end when asked to are noted in `crashed`.
 */
export async function restartAll(stack, crashed, log) {
  const numberOf = ({ name }) => Number(/-(\d+)$/.exec(name)?.[1] ?? 1);
  const waves = [...new Set(stack.processes.map(numberOf))].sort((a, b) => a - b);
  log('Everything is restarted, one process of each service after the other');
  for (const wave of waves) {
    await Promise.all(
      stack.processes
        .filter((each) => numberOf(each) === wave)
        .map(async (each) => {
          if (!(await each.stop(GRACE_MS))) crashed.push(`${each.name} did not end within ${GRACE_MS / 1000} s`);
          each.start();
          await each.ready(120);
        }),
    );
  }
  return stack.processes.length;
}
