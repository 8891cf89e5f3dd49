import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((file) => file !== '');
/** Every file and folder, from the root. */
const tree = [...new Set(files.flatMap(withFolders))];
const folders = new Set(files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]));
// Measurements name files as they were on their day.
const pages = files.filter((file) => /^(README|CONTRIBUTING|SECURITY)\.md$|^docs\/(?!measurements).*\.md$/.test(file));
const CODE_FILE = /[\w>*-]\.(ts|mjs|js)$/;

function withFolders(file: string): string[] {
  const parts = file.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** True if a code span names a path in the repository: one below a root folder, or a code file. */
function isPath(span: string): boolean {
  if (/\s|^@|:\/\//.test(span)) return false;
  return CODE_FILE.test(span) || (span.includes('/') && folders.has(span.split('/')[0]!));
}

/** `<name>` and `*` stand for any name; a path may leave out the folders that it begins with. */
function exists(path: string): boolean {
  const text = path.replace(/\/$/, '').replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`(^|/)${text.replace(/<[^>]+>/g, '[^/]+').replaceAll('*', '[^/]*')}$`);
  return tree.some((each) => pattern.test(each));
}

/** A page without its blocks of code. */
function proseOf(page: string): string {
  return readFileSync(join(root, page), 'utf8').replace(/^```[^]*?^```$/gm, '');
}

describe('what the documentation names', () => {
  it.each(pages)('%s: every path in a code span exists', (page) => {
    const spans = [...proseOf(page).matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!);
    expect(spans.filter((span) => isPath(span) && !exists(span))).toEqual([]);
  });

  it.each(pages)('%s: no merge was left half done', (page) => {
    // The formatter makes quotations of the last marker.
    expect(readFileSync(join(root, page), 'utf8')).not.toMatch(/^(?:<{7} |={7}$|>{7} |(?:> ){6})/m);
  });

  it.each(pages)('%s: every link leads to a file', (page) => {
    const targets = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!.replace(/#.*$/, ''));
    const within = targets.filter((target) => target !== '' && !/^\w+:/.test(target));
    const missing = within.filter((target) => {
      const path = posix.join(posix.dirname(page), target).replace(/\/$/, '');
      return !tree.includes(path);
    });
    expect(missing).toEqual([]);
  });

  it('exists too where comments name pages and folders', () => {
    const missing = files
      .filter((file) => /\.(ts|mjs|js)$/.test(file) && !file.includes('/testing/'))
      .flatMap((file) => {
        const comments = readFileSync(join(root, file), 'utf8').match(/^\s*(\/\*\*|\*|\/\/).*$/gm) ?? [];
        const named = comments.join('\n').match(/(?<![\w@./-])(?:apps|docs|libs|tools)\/[\w./-]*\w/g) ?? [];
        return named.filter((path) => !path.includes('/dist') && !exists(path)).map((path) => `${file}: ${path}`);
      });
    expect(missing).toEqual([]);
  });
});

describe('paths', () => {
  it.each(['libs/jobs/keys.ts', 'libs/modules/<id>/module.ts', 'keys.ts', 'libs/bus/kafka*.ts', 'apps/gateway/'])(
    '%s is one that exists',
    (span) => expect([isPath(span), exists(span)]).toEqual([true, true]),
  );

  it.each(['libs/jobs/tries.ts', 'apps/standalone/cli/main.ts', 'no-such.ts', 'libs/mining/'])(
    '%s is one that does not',
    (span) => expect([isPath(span), exists(span)]).toEqual([true, false]),
  );

  it.each(['@adit/jobs', 'text/csv', 'jobs/<job>/packs/', 'npm run docs', 'https://a/b.ts', '.js'])(
    '%s is none',
    (span) => expect(isPath(span)).toBe(false),
  );
});
