import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MEDIA_KINDS, tryMutations } from '@adit/media/testing';

const CPU_SECONDS = 10;
const USAGE = `Usage: npm run fuzz -- mutations [--kind ${MEDIA_KINDS.join('|')}] [--cases 1000] [--seed 1] [--from 0] [--keep]
Damages files of each kind and probes and decodes each. A fault is an error that does not blame the file, or more than
${CPU_SECONDS} s of CPU. --from and --cases 1 repeat a case; --keep leaves the files where the last line says.`;

/** Answers the exit code. */
export async function fuzz(args) {
  const { values } = parseArgs({
    args,
    options: {
      kind: { type: 'string' },
      cases: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      from: { type: 'string', default: '0' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || (values.kind !== undefined && !MEDIA_KINDS.includes(values.kind))) {
    console.log(USAGE);
    return values.help ? 0 : 2;
  }
  const directory = await mkdtemp(join(tmpdir(), 'adit-fuzz-'));
  const [cases, seed, from] = [Number(values.cases), Number(values.seed), Number(values.from)];
  let faults = 0;
  for (const kind of values.kind === undefined ? MEDIA_KINDS : [values.kind]) {
    const cpu = [];
    let decoded = 0;
    const onCase = (outcome) => {
      cpu.push(outcome.cpuSeconds);
      if (outcome.decoded) decoded++;
      if (!values.keep) void rm(join(directory, `${kind}-${outcome.case}`), { force: true });
      const fault =
        outcome.fault ?? (outcome.cpuSeconds > CPU_SECONDS ? `${outcome.cpuSeconds.toFixed(1)} s of CPU` : null);
      if (fault === null) return;
      faults++;
      console.log(`${kind} ${outcome.case} (seed ${seed}): ${fault}`);
    };
    await tryMutations({ kind, cases, seed, from, directory, onCase });
    cpu.sort((a, b) => a - b);
    const most = (cpu.at(-1) ?? 0).toFixed(2);
    const median = (cpu[cpu.length >> 1] ?? 0).toFixed(2);
    console.log(`${kind}: ${cases} cases, ${decoded} decoded, CPU ${median} s each, ${most} s at most`);
  }
  if (values.keep) console.log(directory);
  else await rm(directory, { recursive: true, force: true });
  console.log(faults === 0 ? 'No fault.' : `${faults} faults.`);
  return faults === 0 ? 0 : 1;
}
