// Every package's dist, through Nx, which rebuilds only what changed, and the template of the embedded database.
import { binOf } from '../program.mjs';
import { environmentWithPnpm } from './packages.mjs';

export async function buildAll(step) {
  step.begin('Building');
  await step.exec(process.execPath, [binOf('nx'), 'run-many', '-t', 'build', 'template', '--outputStyle=static'], {
    // No daemon: nothing may stay behind when the command is done.
    env: { ...environmentWithPnpm(), NX_DAEMON: 'false', NX_NO_CLOUD: 'true', NX_TUI: 'false', FORCE_COLOR: '0' },
    advice: 'A package does not build; the lines above say which.',
  });
}
