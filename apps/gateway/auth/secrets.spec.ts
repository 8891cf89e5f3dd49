import 'reflect-metadata';
import { readFile } from 'node:fs/promises';
import { AccessScope, isRecord } from '@adit/contracts';
import { isSecretField } from '@adit/runtime';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { RouteDefinition } from '../http/route.js';
import { documentedRoutes } from '../openapi/documented-routes.js';
import { refusalOf } from './access.guard.js';

const routes = documentedRoutes().map(({ route, path }) => ({ route, title: `${route.method} ${path}` }));
const reader = { role: 'reader' as const, scopes: [] };
const endUser = { role: 'access-key' as const, scopes: AccessScope.options };

/** The fields of a reply that are called what secrets are called, at any depth, with what may be in them. */
function secretFields({ reply }: RouteDefinition): [name: string, schema: unknown][] {
  if (!(reply instanceof z.ZodType)) return [];
  return [...fieldsIn(z.toJSONSchema(reply, { io: 'output', unrepresentable: 'any' }))].filter(([name]) =>
    isSecretField(name),
  );
}

function* fieldsIn(schema: unknown): Generator<[name: string, schema: unknown]> {
  if (Array.isArray(schema)) for (const part of schema) yield* fieldsIn(part);
  if (!isRecord(schema)) return;
  if (isRecord(schema['properties'])) yield* Object.entries(schema['properties']);
  for (const part of Object.values(schema)) yield* fieldsIn(part);
}

const canBeHidden = (schema: unknown): boolean => isRecord(schema) && JSON.stringify(schema).includes('"null"');

describe('secrets in replies', () => {
  it('secrets can be hidden wherever a reader reads', () => {
    const read = routes.filter(({ route }) => refusalOf(reader, route) === null);
    expect(read.length).toBeGreaterThan(50);
    const found = read.flatMap(({ route, title }) =>
      secretFields(route).map(([name, schema]) => ({ title, name, schema })),
    );
    expect(found.filter(({ schema }) => !canBeHidden(schema))).toEqual([]);
    // Each of them is asked by a reader in workspaces/isolation.spec.ts; this list says that there is something to ask for.
    expect(found.map(({ title, name }) => `${title}: ${name}`)).toEqual([
      'GET /api/v1/webhooks/: hmac_secret',
      'GET /api/v1/webhooks: hmac_secret',
      'GET /api/v1/webhooks/{webhookId}/: hmac_secret',
    ]);
  });

  it('secrets are in no reply to the token of an access key', () => {
    const reached = routes.filter(({ route }) => refusalOf(endUser, route) === null);
    expect(reached.length).toBeGreaterThan(20);
    expect(reached.filter(({ route }) => route.secret === true || secretFields(route).length > 0)).toEqual([]);
  });

  it('secrets are never kept: neither for Idempotency-Key nor by the client', () => {
    const unmarked = routes.filter(({ route }) => secretFields(route).length > 0 && route.secret !== true);
    expect(unmarked.map(({ title }) => title)).toEqual([]);
  });

  it('secrets are all in the table of docs/reference/access.md', async () => {
    const page = await readFile(new URL('../../../docs/reference/access.md', import.meta.url), 'utf8');
    const [, section = ''] = page.split('## Which secret is shown to whom');
    const resources = new Set(
      routes
        .filter(({ route }) => route.secret === true)
        .map(({ route }) => `\`/${route.path.split('/').slice(1, 3).join('/')}/\``),
    );
    expect(resources.size).toBeGreaterThan(3);
    expect([...resources].filter((resource) => !section.includes(resource))).toEqual([]);
  });
});
