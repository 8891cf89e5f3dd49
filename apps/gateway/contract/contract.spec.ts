/** @needs weights, build */
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from '../testing/gateway.js';
import { faultsOf } from './check-answer.js';
import { covered, coveragePage, coveragePath, trialKey } from './coverage.js';
import { INTERFACE_ROWS, type InterfaceRow } from './interface-rows.js';
import { multipart } from './multipart.js';
import { filled, methodsAt, operationOf, variablesOf, type Operation } from './operations.js';
import { TRIALS, type Trial } from './trials.js';
import { World } from './world.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

let world: World;
const seen = new Map<string, number[]>();

beforeAll(async () => {
  world = await World.start();
}, 600_000);
afterAll(() => world?.close());

const rows = INTERFACE_ROWS.map((row) => [trialKey(row), row] as const);

interface Sent {
  body?: unknown;
  form?: Trial['form'];
  headers?: Record<string, string>;
}

/** Asks, and expects that the answer is as documented. */
async function ask(row: InterfaceRow, operation: Operation, url: string, sent: Sent = {}): Promise<Answer> {
  const form = sent.form === undefined ? null : multipart(sent.form);
  const body = form?.payload ?? sent.body;
  const answer = await world.ask(row.method, url, body, { ...form?.headers, ...sent.headers });
  expect([url, faultsOf(operation, answer)]).toEqual([url, []]);
  seen.set(trialKey(row), [...(seen.get(trialKey(row)) ?? []), answer.status]);
  return answer;
}

function given(row: InterfaceRow): { trial: Trial; operation: Operation } {
  const trial = TRIALS[trialKey(row)];
  const operation = operationOf(row.method, row.path);
  if (trial === undefined || operation === null) throw new Error('It has no trial, or there is no such route.');
  return { trial, operation };
}

const withQuery = (url: string, query: string | undefined): string => (query === undefined ? url : `${url}?${query}`);

/** A job's sources are the world's, since they are files of this machine. */
function bodyOf(row: InterfaceRow, body: unknown): unknown {
  if (trialKey(row) !== 'POST /v1/jobs/' || body === undefined || Array.isArray(body)) return body;
  return { sources: world.order.sources, ...(body as object) };
}

describe('every row of the interface', () => {
  it.each(rows)('%s works, in both slash forms', async (_, row) => {
    const { trial, operation } = given(row);
    for (const slash of ['/', '']) {
      const ids = (await trial.ids?.(world)) ?? [];
      const path = `/api${filled(row.path, ids)}`.replace(/\/$/, slash);
      const query = (await trial.queryFor?.(world)) ?? trial.query;
      const answer = await ask(row, operation, withQuery(path, query), {
        body: trial.bodyFor === undefined ? bodyOf(row, trial.body) : await trial.bodyFor(world),
        form: trial.form,
      });
      expect([path, answer.status, answer.status === (trial.status ?? 200) ? '' : answer.text]).toEqual([
        path,
        trial.status ?? 200,
        '',
      ]);
      if (trial.reply !== undefined) expect(answer.json()).toMatchObject(trial.reply);
    }
  });

  it.each(rows)('%s answers 401 without a key', async (_, row) => {
    const { operation } = given(row);
    const url = `/api${filled(row.path, variablesOf(row.path))}`;
    for (const authorization of ['', 'Key adit_wrong', 'Bearer aaaaaaaaaaaaaaaaaaaa.e30.e30.x']) {
      expect((await ask(row, operation, url, { headers: { authorization } })).status).toBe(401);
    }
  });

  it.each(rows.filter(([, { path }]) => path.includes('{')))('%s answers 404 for what is not there', async (_, row) => {
    const { trial, operation } = given(row);
    const ids = (await trial.ids?.(world)) ?? [];
    for (const position of ids.keys()) {
      for (const unknown of [randomUUID(), '999999999', 'x', '-1', "' OR 1=1"]) {
        const url = `/api${filled(row.path, ids.with(position, unknown))}`;
        const answer = await ask(row, operation, withQuery(url, trial.query), { body: trial.body, form: trial.form });
        expect([url, answer.status]).toEqual([url, 404]);
      }
    }
  });

  it.each(rows.filter(([key]) => (TRIALS[key]?.wrong ?? []).length > 0))(
    '%s answers 400 for wrong input',
    async (_, row) => {
      const { trial, operation } = given(row);
      const ids = (await trial.ids?.(world)) ?? [];
      for (const wrong of trial.wrong ?? []) {
        const url = withQuery(`/api${filled(row.path, ids)}`, wrong.query);
        const answer = await ask(row, operation, url, { body: bodyOf(row, wrong.body), form: wrong.form });
        expect([JSON.stringify(wrong), answer.status]).toEqual([JSON.stringify(wrong), 400]);
      }
    },
  );

  it.each(rows)('%s answers 405 for other methods, and says which it takes', async (_, row) => {
    const { operation } = given(row);
    const taken = methodsAt(operation.path);
    const url = `/api${filled(row.path, variablesOf(row.path))}`;
    for (const method of METHODS.filter((other) => !taken.includes(other))) {
      const answer = await world.ask(method, url, {});
      expect([method, url, answer.status, answer.json()['code']]).toEqual([method, url, 405, 'METHOD_NOT_ALLOWED']);
      const allowed = [...taken, ...(taken.includes('GET') ? ['HEAD'] : [])].sort();
      expect(answer.headers['allow']).toBe(allowed.join(', '));
      seen.set(trialKey(row), [...(seen.get(trialKey(row)) ?? []), 405]);
    }
  });
});

/** @hardening api: A route that does not exist answers as if it did */
it('answers 404 for what nobody published', async () => {
  expect((await world.ask('PUT', '/api/v1/training/', {})).status).toBe(404);
});

describe('docs/api/coverage.md', () => {
  it('coverage.md matches this run (ADIT_UPDATE_COVERAGE=1 npm test -- apps/gateway/contract writes it anew)', async () => {
    const page = coveragePage(
      INTERFACE_ROWS.map((row) => covered(row, TRIALS[trialKey(row)], seen.get(trialKey(row)) ?? [])),
    );
    if (process.env['ADIT_UPDATE_COVERAGE'] === '1') await writeFile(coveragePath, page);
    expect(await readFile(coveragePath, 'utf8')).toBe(page);
  });

  it('every row that is there has a trial, and no other', () => {
    expect(Object.keys(TRIALS).sort()).toEqual(INTERFACE_ROWS.map(trialKey).sort());
  });
});
