import { AccessScope } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { ExecutionContext } from '@nestjs/common';
import type { Caller } from '../http/caller.js';
import { defineRoute, Route, type RouteDefinition } from '../http/route.js';
import { AccessGuard, refusalOf } from './access.guard.js';
import { reachedExports, scopeOf, scopesOf } from './access-scopes.js';

const route = (method: RouteDefinition['method'], path: string, access?: RouteDefinition['access']) =>
  ({ method, path, ...(access !== undefined && { access }) }) as RouteDefinition;
const caller = (role: Caller['role'], scopes: AccessScope[] = []) => ({ role, scopes });

describe('the scope of a route', () => {
  it.each([
    ['GET', '/v1/transcripts/', 'transcript.read'],
    ['PUT', '/v1/transcripts/:id/', 'transcript.write'],
    ['GET', '/v1/exports/:id/', 'export.read'],
    ['POST', '/v1/exports/', 'export.write'],
    ['GET', '/v1/jobs/', null],
    ['GET', '/v2/v1/exports/', null],
  ] as const)('%s %s: %s', (method, path, scope) => {
    expect(scopeOf({ method, path })).toBe(scope);
  });
});

describe('who may take a route', () => {
  const open = [route('GET', '/v1/jobs/'), route('POST', '/v1/jobs/')];
  const admins = [route('GET', '/v1/api-keys/', 'admin'), route('POST', '/v1/api-keys/', 'admin')];
  const owners = [route('GET', '/v1/workspaces/', 'owner'), route('POST', '/v1/workspaces/', 'owner')];
  const exports = [route('GET', '/v1/exports/'), route('POST', '/v1/exports/')];
  const taken = (who: Parameters<typeof refusalOf>[0]) =>
    [...open, ...admins, ...owners, ...exports].map((each) => refusalOf(who, each) === null);

  it.each([
    ['owner', [true, true, true, true, true, true, true, true]],
    ['admin', [true, true, true, true, false, false, true, true]],
    ['member', [true, true, false, false, false, false, true, true]],
    ['reader', [true, false, false, false, false, false, true, false]],
    ['access-key', [false, false, false, false, false, false, false, false]],
  ] as const)('%s', (role, expected) => {
    expect(taken(caller(role))).toEqual(expected);
  });

  it('rights of an access key’s token depend on its scopes, and never go beyond them', () => {
    const all = taken(caller('access-key', AccessScope.options));
    expect(all).toEqual([false, false, false, false, false, false, true, true]);
    expect(taken(caller('access-key', ['export.read'])).slice(6)).toEqual([true, false]);
    expect(refusalOf(caller('access-key', AccessScope.options), route('GET', '/v1/exports/', 'admin'))).not.toBeNull();
    expect(refusalOf(caller('access-key', AccessScope.options), route('GET', '/v1/exports/', 'owner'))).not.toBeNull();
  });

  it('a refused caller is told which right is missing', () => {
    const [read, write] = exports;
    expect(refusalOf(caller('access-key'), read!)).toContain('export.read');
    expect(refusalOf(caller('access-key'), write!)).toContain('export.write');
    for (const role of ['admin', 'member', 'reader'] as const) {
      expect(refusalOf(caller(role), owners[0]!)).toContain('owner');
    }
    for (const role of ['member', 'reader'] as const) expect(refusalOf(caller(role), admins[0]!)).toContain('admin');
    expect(refusalOf(caller('reader'), open[1]!)).toContain('reader');
    expect(refusalOf(caller('access-key', AccessScope.options), open[0]!)).toContain('API key');
  });
});

describe('rights of a caller on transcripts and exports', () => {
  it('API keys but those of readers may do everything, and access keys what their scopes say', () => {
    for (const role of ['owner', 'admin', 'member'] as const) {
      expect(scopesOf(caller(role))).toEqual(AccessScope.options);
    }
    expect(scopesOf(caller('reader'))).toEqual(['transcript.read', 'export.read']);
    expect(scopesOf(caller('access-key', ['export.write']))).toEqual(['export.write']);
  });

  it('exports of transcripts are reached, and those that an access key lists', () => {
    expect(reachedExports([])).toEqual(['transcript_export']);
    expect(reachedExports(['job_results_export', 'of_a_newer_build'])).toEqual(
      expect.arrayContaining(['transcript_export', 'job_results_export']),
    );
    expect(reachedExports(['job_results_export', 'of_a_newer_build'])).toHaveLength(2);
  });
});

describe('the guard', () => {
  const reply = z.strictObject({ ok: z.boolean() });
  const about = { path: '/v1/jobs/', summary: 's', description: 'd', tag: 'Jobs', reply } as const;
  class Routes {
    @Route(defineRoute({ ...about, method: 'POST' }))
    change() {
      return { ok: true };
    }
    @Route(defineRoute({ ...about, method: 'GET', access: 'public' }))
    open() {
      return { ok: true };
    }
    ofAnotherApp() {
      return { ok: true };
    }
  }
  /** A context with just the parts that the guard reads. */
  const letsIn = (handler: keyof Routes, who?: Caller['role'], type = 'http') => {
    const context: Partial<ExecutionContext> = {
      getType: <T extends string>() => type as T,
      getHandler: () => Routes.prototype[handler],
      switchToHttp: () => ({
        getRequest: <T>() => (who === undefined ? {} : { caller: caller(who) }) as T,
        getResponse: <T>() => ({}) as T,
        getNext: <T>() => ({}) as T,
      }),
    };
    return () => new AccessGuard().canActivate(context as ExecutionContext);
  };

  it('lets nobody in whose key was not read, but to what is public or another app’s', () => {
    expect(letsIn('change')).toThrow(expect.objectContaining({ code: 'UNAUTHENTICATED' }));
    for (const open of [letsIn('open'), letsIn('ofAnotherApp'), letsIn('change', undefined, 'rpc')]) {
      expect(open()).toBe(true);
    }
  });

  it('refuses what the caller may not do', () => {
    expect(letsIn('change', 'reader')).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
    expect(letsIn('change', 'member')()).toBe(true);
  });
});
