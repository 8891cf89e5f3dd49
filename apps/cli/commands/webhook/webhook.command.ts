import { Command } from 'commander';

export function webhookCommand(): Command {
  const webhook = new Command('webhook').description('For those who receive webhooks.');
  webhook
    .command('verify')
    .description('Say whether a message is genuine: who signed it, and when it was sent.')
    .requiredOption('--body <file>', 'the body, byte for byte as it came; - reads standard input')
    .option(
      '--headers <file>',
      'the headers as "name: value" lines or JSON; without them only hmac_signature is looked at',
    )
    .option('--secret-file <file>', 'the secret; otherwise ADIT_WEBHOOK_SECRET')
    .option('--at <time>', 'when it came, as ISO 8601 or Unix seconds (default: now)')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  adit webhook verify --secret-file secret.txt --headers headers.txt --body body.json\n' +
        '\nExit code: 0 when the message is genuine, 1 when it is not, 2 when that cannot be looked at.',
    )
    .action(async (options: { body: string; headers?: string; secretFile?: string; at?: string; json?: boolean }) => {
      const { verifyFiles } = await import('./webhook-verify.js');
      const { valid, findings } = await verifyFiles(options, process.env);
      if (options.json) process.stdout.write(`${JSON.stringify({ valid, findings }, null, 2)}\n`);
      else {
        for (const { good, message } of findings) process.stdout.write(`${good ? '✓' : '✗'} ${message}\n`);
        process.stdout.write(valid ? 'The message is genuine.\n' : 'Do not trust this message.\n');
      }
      if (!valid) process.exitCode = 1;
    });
  return webhook;
}
