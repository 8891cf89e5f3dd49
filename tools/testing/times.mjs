// Where the time of a test run goes: `npm test -- --times=FILE` writes that page.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';

/** Suites that are listed by themselves. */
const LISTED = 60;
const OPTION = '--times=';
const COSTS = { engines: 'engine starts', servers: 'servers', databases: 'databases', media: 'media made' };

/** Takes `--times=<file>` out of the words of a command. */
export function timesOption(words) {
  const option = words.find((word) => word.startsWith(OPTION));
  const file = option === undefined ? undefined : resolve(process.env.INIT_CWD ?? '.', option.slice(OPTION.length));
  return { times: file, rest: words.filter((word) => word !== option) };
}

/** Writes the page `file` from what the run wrote down: a table as Markdown, or all of it where `file` ends in .json. */
export function writeTimes(summary, file, { preparedSeconds, wholeSeconds }) {
  const { suites, ...rest } = JSON.parse(readFileSync(summary, 'utf8'));
  mkdirSync(dirname(file), { recursive: true });
  const whole = { ...rest, preparedSeconds, wholeSeconds, suites };
  writeFileSync(file, file.endsWith('.json') ? JSON.stringify(whole) : page(whole));
}

function page({ suites, passed, preparedSeconds, wholeSeconds }) {
  const sorted = [...suites].sort((a, b) => b.seconds - a.seconds);
  const sum = (of) => sorted.reduce((total, suite) => total + of(suite), 0);
  const cpu = sum(({ cpuSeconds }) => cpuSeconds);
  const rows = sorted.slice(0, LISTED).map((suite) => row(`\`${suite.file}\``, [suite]));
  return `# Where the time of the tests goes

Written by \`npm test -- --times=FILE\`; nothing here is written by hand. One run on a machine of
${availableParallelism()} cores: ${passed} tests in ${Math.round(wholeSeconds)} s, ${Math.round(preparedSeconds)} s of them before the first suite began.

- **CPU**: of a suite's worker and of the processes that it started and that have ended, ${Math.round(cpu)} s in all. Servers that
  suites share are not in it.
- **Waits**: the rest of its time. It is what a suite waits for, or another has the core.
- **Engine starts**, **servers**, **databases**, **media made**: what a suite does before it tests anything, in seconds as well.

| suite | tests | seconds | CPU | waits | ${Object.values(COSTS).join(' | ')} |
| --- | --: | --: | --: | --: | ${Object.keys(COSTS)
    .map(() => '--:')
    .join(' | ')} |
${rows.join('\n')}
${row(`the other ${Math.max(0, sorted.length - LISTED)}`, sorted.slice(LISTED))}
${row('all', sorted)}
`;
}

function row(name, suites) {
  const sum = (of) => suites.reduce((total, suite) => total + of(suite), 0);
  const seconds = sum((suite) => suite.seconds);
  const cpu = sum(({ cpuSeconds }) => cpuSeconds);
  const numbers = [
    sum(({ tests }) => tests.length),
    seconds,
    cpu,
    sum((suite) => Math.max(0, suite.seconds - suite.cpuSeconds)),
    ...Object.keys(COSTS).map((kind) => sum(({ costs }) => costs[kind] ?? 0)),
  ];
  return `| ${name} | ${numbers.map((number) => (number < 0.5 ? '' : Math.round(number))).join(' | ')} |`;
}
