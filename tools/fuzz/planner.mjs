// npm run fuzz -- planner [--cases 10000]: the property test of libs/media in its long form.
import { parseArgs } from 'node:util';
import { runTests } from '../setup/test.mjs';

const CASES = '10000';

/** Answers the exit code. */
export async function fuzz(args) {
  const { values } = parseArgs({
    args,
    options: { cases: { type: 'string', default: CASES }, help: { type: 'boolean' } },
  });
  if (values.help) {
    console.log(`npm run fuzz -- planner [--cases ${CASES}]`);
    return 0;
  }
  return await runTests(['libs/media/video/planner-fuzz'], { ADIT_FUZZ_CASES: values.cases });
}
