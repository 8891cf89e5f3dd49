import 'reflect-metadata';
import { readFile } from 'node:fs/promises';
import type { Dataset } from '@adit/contracts';
import { sampleMedia } from '@adit/testing';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { World } from '../../contract/world.js';

export let world: World;

export let jpeg: Buffer;

export async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await world.ask(method, `/api/v1/datasets/${path}`, body);
  expect([method, path, answer.status, answer.status < 300 ? '' : answer.text]).toEqual([method, path, 200, '']);
  return answer.json<T>();
}

export async function refusal(method: string, path: string, body?: unknown): Promise<[number, string]> {
  const answer = await world.ask(method, `/api/v1/datasets/${path}`, body);
  return [answer.status, String((answer.json()['errors'] as { pointer: string }[])[0]?.pointer ?? '')];
}

export const dataset = () => ask<Dataset>('POST', '', { name: 'People', type: 'face' });

/** Registers the hooks that start and end the shared parts of a spec. */
export function useDatasetWorld(): void {
  beforeAll(async () => {
    world = await World.start();
    jpeg = await readFile(sampleMedia().faces['audrey'] as string);
  }, 600_000);
  afterAll(() => world?.close());
}
