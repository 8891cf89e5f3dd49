import { Command } from 'commander';
import { withEngineOptions } from '../../engine/engine-options.js';
import type { UsageOptions } from './usage.js';

export function usageCommand(): Command {
  return withEngineOptions(
    new Command('usage')
      .description('What analyses took: seconds of media, of analyses and of models; and what is left of quotas.')
      .option('--from <day>', 'first day in UTC, such as 2026-11-01 (default: 30 days ago)')
      .option('--to <day>', 'last day in UTC (default: today)')
      .option('--group-by <groups>', 'workspace, day, module, key, with commas between them', 'day')
      .option('--all', 'all workspaces, with a key of the role owner')
      .option('--json', 'as JSON'),
  )
    .addHelpText('after', '\nExample:\n  adit usage --from 2026-11-01 --group-by module,key')
    .action(async (options: UsageOptions) => (await import('./usage.js')).showUsage(options));
}
