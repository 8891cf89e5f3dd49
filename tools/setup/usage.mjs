// Help of the commands that are no programs of their own; it needs nothing but Node.
const USAGES = {
  setup: `Sets up what is missing: packages, ffmpeg, the build and the model weights. Every other command does so too.

  npm run setup

ADIT_CACHE_DIR moves the cache (default: ~/.cache/adit); ADIT_FFMPEG and ADIT_FFPROBE name programs of your own.`,

  test: `Runs the tests, each with the real servers, media and weights that it asks for. Without paths it leaves out
those that take minutes each (npm run test:long).

  npm test [-- [path …] [--node 20|24] [--times=FILE] [option of jest …]]

  path           only suites whose path has it, e.g. libs/report
  --node <major> the unit part on another Node, which is fetched (first word)
  --times=<file> writes a page that says where the time went
  -t <pattern>   only tests of that name; other options of jest likewise (npx jest --help)

ADIT_TEST_SERVERS=off starts no Kafka, PostgreSQL or MinIO; suites that ask for one are skipped and say so.`,

  'test:long': `Runs the suites that take minutes each: processes that are killed, streams in real time, all hostile files.

  npm run test:long [-- [path …] [--times=FILE] [option of jest …]]

  path           only suites whose path has it, e.g. live-streams
  --times=<file> writes a page that says where the time went`,

  'test:unit': `Runs the suites that need nothing but packages: no build, weights or ffmpeg.

  npm run test:unit [-- [path …] [--watch] [option of jest …]]

  path           only suites whose path has it, e.g. libs/report
  --watch        again at each save, those that the change reaches
  -t <pattern>   only tests of that name; other options of jest likewise (npx jest --help)`,

  'test:changed': `Runs the tests of the packages that a change reaches: what is not committed, and commits since a base.

  npm run test:changed [-- [--base=BRANCH] [option of jest …]]

  --base=<branch> where the change began (default: main; on main its upstream)

Where a file changed that belongs to no package, all tests run.`,

  lint: `Checks formatting, lint rules, casts and types, side by side.

  npm run lint [-- check …]

  check          format, rules, casts, types, console-types (default: all of them)

"npm run format" puts the formatting right.`,
};

/** True if `args` ask for help. Arguments behind "--" are for another program. */
export function asksForHelp(args) {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((word) => word === '--help' || word === '-h');
}

/** Prints the help of `command`; answers the exit code. */
export function usageOf(command) {
  console.log(USAGES[command]);
  return 0;
}
