/**
 * Replacement of `@jest/globals` for specs. Modules stay loaded from one suite to the next, so these bindings are updated to the
 * functions of each suite when it begins.
 */
export let jest, expect, describe, fdescribe, xdescribe, it, fit, xit, test, xtest;
export let beforeAll, beforeEach, afterAll, afterEach;

export function bind(of) {
  ({ jest, expect, describe, fdescribe, xdescribe, it, fit, xit, test, xtest } = of);
  ({ beforeAll, beforeEach, afterAll, afterEach } = of);
}
