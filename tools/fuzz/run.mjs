// npm run fuzz -- PART: feeds random input to the engine for the given time. Exits with 1 on a fault.
const PARTS = {
  /** Damaged files of every kind through probe and decode. */
  mutations: () => import('./mutations.mjs'),
  /** Random ffprobe output of a film through index, plan, samples and filter graph. */
  planner: () => import('./planner.mjs'),
};

const [name = '', ...args] = process.argv.slice(2);
if (!(name in PARTS)) {
  console.error(`Usage: npm run fuzz -- PART [--help]. Parts: ${Object.keys(PARTS).join(', ')}.`);
  process.exit(2);
}
const { fuzz } = await PARTS[name]();
process.exitCode = await fuzz(args);
