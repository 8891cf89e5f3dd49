import type { RouteDefinition } from '../route.js';

/** Knows the methods of each address, to tell a wrong method from a wrong address. */
export class KnownPaths {
  private readonly patterns: { method: string; pattern: RegExp; variables: number }[];

  /** `prefix` stands before the path of every route that lies under it. */
  constructor(routes: { route: RouteDefinition; prefix: string }[]) {
    this.patterns = routes.map(({ route, prefix }) => {
      const path = `${prefix}${route.path}`.replace(/\/$/, '');
      const source = path.replace(/[.\\+*?^${}()|[\]]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]+');
      return { method: route.method, pattern: new RegExp(`^${source}/?$`), variables: path.split(':').length - 1 };
    });
  }

  /** A literal segment wins over a variable (`files` is no id). */
  methodsOf(path: string): string[] {
    const matching = this.patterns.filter(({ pattern }) => pattern.test(path));
    const fewest = Math.min(...matching.map(({ variables }) => variables));
    const methods = matching.filter(({ variables }) => variables === fewest).map(({ method }) => method);
    return [...new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods)].sort();
  }
}
