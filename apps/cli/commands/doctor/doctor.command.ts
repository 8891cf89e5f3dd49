import { Command } from 'commander';
import type { Finding } from './finding.js';

const MARKS: Record<Finding['state'], string> = { good: '✓', warning: '!', bad: '✗' };

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Check that this machine has what Adit needs, and say what to do where it has not.')
    .option('--data-dir <folder>', 'folder of the embedded database and objects (default: ADIT_DATA_DIR or .adit)')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExit code: 0 when everything needed is there (warnings allowed), 1 otherwise.')
    .action(async (options: { dataDir?: string; json?: boolean }) => {
      const [{ doctorChecks }, { cliSettings }] = await Promise.all([
        import('./doctor-checks.js'),
        import('../../settings.js'),
      ]);
      const findings: Finding[] = [];
      for (const check of doctorChecks(cliSettings(options.dataDir))) {
        for (const finding of await check()) {
          findings.push(finding);
          if (options.json) continue;
          const advice = finding.advice === undefined ? '' : `\n    ${finding.advice}`;
          process.stdout.write(`${MARKS[finding.state]} ${finding.what}${advice}\n`);
        }
      }
      if (options.json) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
      if (findings.some((finding) => finding.state === 'bad')) process.exitCode = 1;
    });
}
