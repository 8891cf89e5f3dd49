/**
 * Engine for launcher.spec.ts whose child does not end by itself. It sends the child's process id; its argument is the
 * launcher's directory.
 */
import { runChild, startLauncher } from '../dist/index.js';

await startLauncher(process.argv[2]);
await runChild({
  program: 'sh',
  args: ['-c', 'echo $$; exec sleep 600'],
  doing: 'Staying',
  timeoutSeconds: 600,
  onOutput: (piece) => process.send(Number(piece.toString())),
});
