// Restarts every process in order, or replaces it by one of another build, while jobs run.
import { programOf } from '@adit/stack';

/**
 * Restarts one process of every service at a time: all first ones, then all second ones. Answers their number. Processes that
 * do not end within `graceSeconds` are added to `crashed`; docker compose and the chart allow 30 s.
 */
export async function restartAll(stack, crashed, { graceSeconds, log }) {
  const numberOf = ({ name }) => Number(/-(\d+)$/.exec(name)?.[1] ?? 1);
  const waves = [...new Set(stack.processes.map(numberOf))].sort((a, b) => a - b);
  log('Everything is restarted, one process of each service after the other');
  for (const wave of waves) {
    await Promise.all(
      stack.processes
        .filter((each) => numberOf(each) === wave)
        .map(async (each) => {
          if (!(await each.stop(graceSeconds * 1000)))
            crashed.push(`${each.name} did not end within ${graceSeconds} s`);
          each.start();
          await each.ready();
        }),
    );
  }
  return stack.processes.length;
}

/** Replaces one process after the other, each when the one before it is ready; answers their number. */
export async function replaceAll(stack, build, { crashed, graceSeconds, log, count = () => 0 }) {
  for (const each of stack.processes) {
    log(`${each.name} becomes one of ${build.name}; ${count()} jobs have ended`);
    if (!(await each.stop(graceSeconds * 1000))) crashed.push(`${each.name} did not end within ${graceSeconds} s`);
    each.program = programOf(each.name.replace(/-\d+$/, ''), build);
    each.start();
    await each.ready();
  }
  return stack.processes.length;
}
