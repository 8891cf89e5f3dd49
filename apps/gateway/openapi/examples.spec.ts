import 'reflect-metadata';
import { loadModules } from '@adit/modules';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { openApiDocument } from './document.js';
import { documentedRoutes } from './documented-routes.js';
import { Message } from '../http/shapes.js';

interface Media {
  example?: unknown;
}
interface Content {
  content?: Record<string, Media>;
}
interface Operation {
  requestBody?: Content;
  responses: Record<string, Content>;
}

const modules = await loadModules();
/** The document as a client reads it. */
const document = JSON.parse(JSON.stringify(openApiDocument(modules))) as {
  paths: Record<string, Record<string, Operation>>;
};

interface Shown {
  place: string;
  tag: string;
  schema: z.ZodType;
  media: Media;
  isReply: boolean;
}

/** The JSON body and the JSON reply of every operation, each with the schema that its route has for it. */
const shown = documentedRoutes().flatMap(({ route, path }): Shown[] => {
  const operation = document.paths[path]?.[route.method.toLowerCase()];
  const body = operation?.requestBody?.content?.['application/json'];
  const reply = operation?.responses[route.status ?? 200]?.content?.['application/json'];
  const { method, tag } = route;
  const of = (what: string, schema: unknown, media: Media | undefined, isReply: boolean): Shown[] =>
    schema instanceof z.ZodType && media
      ? [{ place: `${what} of ${method} ${path}`, tag, schema, media, isReply }]
      : [];
  return [...of('body', route.body, body, false), ...of('reply', route.reply, reply, true)];
});
const given = shown.filter(({ media }) => media.example !== undefined);

describe('the examples of the OpenAPI document', () => {
  it('every operation with JSON has an example of its body and its reply', () => {
    const documented = Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap(({ requestBody, responses }) => [
        ...(requestBody ? [requestBody] : []),
        ...Object.entries(responses).flatMap(([status, reply]) => (status.startsWith('2') ? [reply] : [])),
      ])
      .filter(({ content }) => content?.['application/json'] !== undefined);
    expect(shown).toHaveLength(documented.length);
    expect(shown.length).toBeGreaterThan(150);
    expect(shown.filter((each) => !given.includes(each)).map(({ place }) => place)).toEqual([]);
  });

  it('examples are what the routes take and answer', () => {
    const wrong = given.flatMap(({ place, schema, media, isReply }) => {
      const { success, data, error } = schema.safeParse(media.example);
      if (!success) return `${place}: ${z.prettifyError(error)}`;
      // A reply leaves as it is; a body may have members that are filled in.
      if (isReply) expect({ place, reply: data }).toEqual({ place, reply: media.example });
      return [];
    });
    expect(wrong).toEqual([]);
  });

  it('examples of jobs ask for what the modules take', () => {
    const jobs = given.flatMap(({ media: { example } }) => {
      const asked = z.object({ sources: z.array(z.string()), modules: z.record(z.string(), z.looseObject({})) });
      const { data } = asked.safeParse(example);
      // In an answered job each module shows its progress as well.
      return data && Object.values(data.modules).every(({ state }) => state === undefined) ? [data.modules] : [];
    });
    expect(jobs.length).toBeGreaterThan(1);
    for (const asked of jobs) expect(() => modules.check(asked)).not.toThrow();
  });

  it('replies of actions say in a sentence what was done, each of its own resource', () => {
    const said = new Map<string, Set<string>>();
    for (const { schema, media, tag } of given) {
      if (schema !== Message) continue;
      const { message } = Message.parse(media.example);
      said.set(message, (said.get(message) ?? new Set()).add(tag));
    }
    expect(said.size).toBeGreaterThan(15);
    expect([...said].filter(([, tags]) => tags.size > 1)).toEqual([]);
  });
});
