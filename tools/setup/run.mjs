// The door to every npm script: sets up what is missing, then runs the command. Plain Node without dependencies,
// because on a bare clone there is nothing else yet.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Adit needs Node 20.19 or newer (20 and 24 are tested); this is ${process.version}.`);
  process.exit(2);
}

const [command = 'help', ...args] = process.argv.slice(2);
const { commands } = await import('./commands.mjs');
const { endWithParent } = await import('./end-with-parent.mjs');
const run = commands[command];
if (run === undefined) {
  console.error(`Unknown command "${command}". Known: ${Object.keys(commands).join(', ')}.`);
  process.exit(2);
}
endWithParent();
try {
  process.exitCode = await run(args);
} catch (error) {
  if (!(error instanceof Error) || error.name !== 'SetupError') throw error;
  console.error(error.message);
  process.exitCode = 1;
}
