// Programs and recordings that some tests need and few machines have, from Debian's packages. Tests without them are skipped, and
// say so.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installOnce, serversCache } from '../servers/installing.mjs';
import { onPath } from './on-path.mjs';
import { Step } from './step.mjs';
import { unpackFromDebian } from './unpacked-debian.mjs';

/** By the variable that holds the path for tests. The path is that of the first file; the others have to lie beside it. */
const PROGRAMS = {
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

const folderOf = ({ name }) => `${name}-debian-${process.arch}`;
const pathOf = (program) => join(serversCache, folderOf(program), program.files[0].split('/').at(-1));

function kept(program) {
  const path = pathOf(program);
  return existsSync(path) ? path : undefined;
}

async function fetched(program) {
  const step = new Step({ live: false });
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
