import { Command, InvalidArgumentError } from 'commander';

interface Options {
  server: string;
  json?: boolean;
}

const SERVER = 'http://127.0.0.1:8080';

export function workspaceCommand(): Command {
  const workspace = new Command('workspace').description('Workspaces of an engine that runs; needs its owner’s key.');
  const one = (name: string, does: string) =>
    workspace
      .command(name)
      .description(does)
      .option('--server <url>', 'address of the engine; ADIT_API_KEY is the owner’s key', SERVER)
      .option('--json', 'as JSON');
  one('list', 'Show them, with what they store.').action(async (options: Options) => {
    const { listWorkspaces } = await import('./workspaces.js');
    await listWorkspaces(options);
  });
  one('create <name>', 'Make one, and show its first API key, this once.').action(
    async (name: string, options: Options) => {
      const { createWorkspace } = await import('./workspaces.js');
      await createWorkspace(name, options);
    },
  );
  one('quotas <id>', 'Show the quotas of one, or change some.')
    .argument('[quota=number...]', 'such as media_seconds_per_month=360000, upload_bytes=none', quotas, {})
    .action(async (id: string, changes: Record<string, number | null>, options: Options) => {
      const { workspaceQuotas } = await import('./workspaces.js');
      await workspaceQuotas(id, changes, options);
    });
  one('delete <id>', 'Erase one with everything in it, and show the receipt.')
    .requiredOption('--yes', 'there is no way back')
    .action(async (id: string, options: Options) => {
      const { deleteWorkspace } = await import('./workspaces.js');
      await deleteWorkspace(id, options);
    });
  workspace.addHelpText(
    'after',
    [
      '\nExamples:',
      '  adit workspace create newsroom --server https://adit.example.org',
      '  adit workspace quotas ID media_seconds_per_month=360000 gpu_model_seconds_per_day=3600 upload_bytes=none',
    ].join('\n'),
  );
  return workspace;
}

function quotas(text: string, former: Record<string, number | null>): Record<string, number | null> {
  const [, quota = '', limit = ''] = /^(\w+)=(none|[1-9]\d{0,15})$/.exec(text) ?? [];
  if (quota === '') throw new InvalidArgumentError('Give quota=number, or quota=none.');
  return { ...former, [quota]: limit === 'none' ? null : Number(limit) };
}
