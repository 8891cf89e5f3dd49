/**
 * What specs import from `@jest/globals`. The functions of a suite are bound when it begins: modules stay loaded from one
 * suite to the next, and what they import follows.
 */
export let jest, expect, describe, fdescribe, xdescribe, it, fit, xit, test, xtest;
export let beforeAll, beforeEach, afterAll, afterEach;

export function bind(of) {
  ({ jest, expect, describe, fdescribe, xdescribe, it, fit, xit, test, xtest } = of);
  ({ beforeAll, beforeEach, afterAll, afterEach } = of);
}
