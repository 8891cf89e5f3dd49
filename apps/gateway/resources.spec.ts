import { expect, it } from '@jest/globals';
import { CONSOLE_PATHS } from './pages/console.controller.js';
import { EDITOR_PATHS } from './pages/editor.controller.js';
import { SIGN_IN_ROUTES } from './sign-in/sign-in.controller.js';
import { allRoutes, PUBLIC_PATHS, UNPREFIXED } from './resources.js';

it('every path is let in from outside, or is for orchestrators and collectors', () => {
  const served = [
    ...allRoutes().map(({ route, prefix }) => prefix + route.path),
    ...[...EDITOR_PATHS, ...CONSOLE_PATHS, ...SIGN_IN_ROUTES.map(({ path }) => path)].map((path) => `/${path}`),
  ];
  expect(served.length).toBeGreaterThan(100);
  const isPublic = (path: string) =>
    Object.entries(PUBLIC_PATHS).some(
      ([root, type]) => path === root || (type === 'Prefix' && path.startsWith(`${root}/`)),
    );
  const inside = served.filter((path) => !isPublic(path));
  expect(inside.sort()).toEqual(UNPREFIXED.map((path) => `/${path}`).sort());
});
