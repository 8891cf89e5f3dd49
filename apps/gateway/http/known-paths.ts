import type { RouteDefinition } from './route.js';

/** Which methods an address takes, so that a wrong method is told from a wrong address. */
export class KnownPaths {
  private readonly patterns: { method: string; pattern: RegExp }[];

  /** `prefix` stands before the path of every route that lies under it. */
  constructor(routes: { route: RouteDefinition; prefix: string }[]) {
    this.patterns = routes.map(({ route, prefix }) => {
      const path = `${prefix}${route.path}`.replace(/\/$/, '');
      const source = path.replace(/[.\\+*?^${}()|[\]]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]+');
      return { method: route.method, pattern: new RegExp(`^${source}/?$`) };
    });
  }

  methodsOf(path: string): string[] {
    const methods = this.patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    return [...new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods)].sort();
  }
}
