import { beforeAll, describe, expect, it } from '@jest/globals';
import { linted } from './linted.js';

const LOST = [
  `read().catch(() => null);`,
  `read().catch((): string[] => []);`,
  `read().catch(() => ({}));`,
  `read().catch(() => '');`,
  `read().catch((error) => { log.warn(error); return null; });`,
  `read().then((found) => found, () => null);`,
  `read()?.catch(function () { return []; });`,
  `function f() { try { return read(); } catch (error) { log.warn(error); return null; } }`,
  `function f() { try { return read(); } catch (error) { if (a) return []; else log.warn(error); return 1; } }`,
];
const KEPT = [
  `read().catch(nullIfGone);`,
  `read().catch((error) => { if (code(error) === 'NOT_FOUND') return null; throw error; });`,
  // Heard, and thrown where it is awaited.
  `reading.catch(() => undefined);`,
  `read().catch(() => { throw refused(); });`,
  `read().catch((error) => log.warn(error));`,
  `read().then(() => null);`,
  `canRead().then(() => true, () => false);`,
  `function f() { try { return read(); } catch (error) { if (isGone(error)) return null; throw error; } }`,
  `function f() { try { return read(); } catch (error) { return { problem: error }; } }`,
  `function f() { try { read(); } catch (error) { later(() => null); } return null; }`,
];

const RULE = `export { noLostErrors as rule } from '${new URL('./no-lost-errors.mjs', import.meta.url).href}';`;
const fileOf = (code: string) => `${[...LOST, ...KEPT].indexOf(code)}.ts`;

let reported: Map<string, string[]>;

beforeAll(async () => {
  const files = Object.fromEntries([...LOST, ...KEPT].map((code) => [fileOf(code), code]));
  reported = await linted(files, 'no-lost-errors', RULE);
});

describe('errors that are lost', () => {
  it.each(LOST)('%s', (code) => {
    expect(reported.get(fileOf(code))).toEqual([expect.stringMatching(/^1: Every error becomes nothing here/)]);
  });

  it.each(KEPT)('are not lost by %s', (code) => expect(reported.get(fileOf(code))).toBeUndefined());
});
