/** @needs build */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

/** Run by Node itself, which knows nothing of where this test runner takes packages from. */
const COMPARE = `
import { bundled, fileOf } from './packages.mjs';
const faults = [];
for (const name of bundled) {
  const [own, bundle] = await Promise.all([import(name), import('./dist/' + fileOf(name))]);
  for (const key of Object.keys(own).filter((each) => each !== 'module.exports')) {
    if (typeof bundle[key] !== typeof own[key]) faults.push(name + ' lacks ' + key);
    else if (typeof own[key] === 'function' && /^class/.test(own[key]) && bundle[key].name !== own[key].name)
      faults.push(name + ' calls ' + key + ' ' + bundle[key].name);
  }
}
console.log(JSON.stringify({ packages: bundled.length, faults }));
process.exit();
`;

const { withoutNamingOfClosures } = (await import(new URL('./closures.mjs', import.meta.url).href)) as {
  withoutNamingOfClosures(code: string): string;
};

describe('the bundle', () => {
  it('exports what the packages do, and its classes have their names', async () => {
    const args = ['--input-type=module', '--eval', COMPARE];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
    expect(JSON.parse(stdout)).toEqual({ packages: expect.any(Number), faults: [] });
  });

  it('names classes that were renamed, and leaves closures the names that they have anyway', () => {
    const code = `
      const __name = (target, value) => Object.defineProperty(target, 'name', { value, configurable: true });
      export class Job2 { static { __name(this, "Job"); } }
      export const read = __name((path) => __name(async () => path, "inner"), "read");
      export function open() {}
      __name(open, "open");
      export function close2() {}
      __name(close2, "close");`;
    const kept = withoutNamingOfClosures(code)
      .replace(/const __name.*/, '')
      .match(/__name\([^)]*\)/g);
    expect(kept).toEqual(['__name(this, "Job")', '__name(close2, "close")']);
    expect(withoutNamingOfClosures(code)).toContain('export const read = (path) => async () => path;');
  });
});
