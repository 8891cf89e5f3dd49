import { readFile } from 'node:fs/promises';

/** In the order in which they need each other. */
const FILES = [
  ...['time', 'page', 'clock', 'tracks', 'enroll', 'details', 'hover', 'lanes', 'timeline', 'player', 'spoken'],
  ...['gallery', 'people', 'table', 'main'],
];

/**
 * The page's script as one text. Its files are ordinary modules for whoever reads them; a page that may load nothing
 * cannot import, so the import lines and `export` keywords are taken out and the files put one after the other.
 * They are read once: they belong to this version of the program.
 */
export function clientScript(): Promise<string> {
  return (script ??= readScript());
}

let script: Promise<string> | null = null;

async function readScript(): Promise<string> {
  const parts = await Promise.all(
    FILES.map((name) => readFile(new URL(`./client/${name}.js`, import.meta.url), 'utf8')),
  );
  const joined = parts
    .join('\n')
    .replace(/^import [^;]*;\n?/gm, '')
    // The compiler puts a doc comment on the line of what it documents.
    .replace(/^((?:\/\*\*.*\*\/ )?)export (?=function|const)/gm, '$1')
    .replace(/^\/\/# sourceMappingURL=.*$/gm, '');
  return `'use strict';\n(() => {\n${joined}\n})();\n`;
}
