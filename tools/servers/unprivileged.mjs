// PostgreSQL refuses to run as root. When this process is root, it runs as another user, who owns its data.
import {
  chmodSync,
  chownSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';

/** `{uid, gid}` of a user without rights, or null when this process is not root. */
export function unprivilegedUser() {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const found = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  return found === undefined ? { uid: 65_534, gid: 65_534 } : { uid: Number(found[2]), gid: Number(found[3]) };
}

/** Makes a folder and what lies directly in it the user's. */
export function givenAway(folder, user) {
  if (user === null) return;
  chownSync(folder, user.uid, user.gid);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile()) chownSync(join(folder, entry.name), user.uid, user.gid);
  }
}

/** The same tree at another place: hard links where the file system allows them, else copies. */
export function linkTree(from, to) {
  mkdirSync(to);
  chmodSync(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else link(source, target);
  }
}

function link(source, target) {
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target);
  }
}
