import { randomUUID } from 'node:crypto';
import { BUS, type Bus } from '@adit/bus';
import { RESOURCE_EVENTS, type Payload } from '@adit/contracts';
import { WebhookEntity } from '@adit/database';
import { afterAll, beforeAll } from '@jest/globals';
import { World } from '../../contract/world.js';
import type { Answer } from '../../testing/gateway.js';

export type Row = Record<string, unknown>;

export interface Paragraph {
  id: string;
  index: number;
  revision: number;
  text: string;
  speaker: string | null;
}

export let world: World;

export const events: { event: string; data: Row }[] = [];

export const ask = (
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => world.ask(method, `/api/v1/${url}`, body, headers);

export const at = async (texts?: string[]): Promise<string> => {
  const [id, variant] = await world.transcript(texts);
  return `transcripts/${id}/variants/${variant}/versions`;
};

export const pageOf = async (url: string): Promise<Paragraph[]> =>
  (await ask('GET', `${url}/paragraphs/?limit=100`)).json<{ data: Paragraph[] }>().data;

export const codeOf = ({ status, json }: Answer) => [status, (json()['errors'] as Row[] | undefined)?.[0]?.['code']];

/** Registers the hooks that start and end the shared parts of a spec. */
export function useTranscriptWorld(): void {
  beforeAll(async () => {
    world = await World.start();
    const { db, workspaceId } = world.gateway;
    await db.manager.insert(
      WebhookEntity,
      RESOURCE_EVENTS.map((event) => ({
        ...{ id: randomUUID(), workspaceId, event, url: 'https://newsroom.example.org/adit', secret: 's' },
      })),
    );
    await world.gateway.app.get<Bus>(BUS).subscribe({
      topic: 'events.raised',
      group: 'spec',
      concurrency: 1,
      handle: ({ envelope }) => {
        const { event, data } = envelope.payload as Payload<'events.raised'>;
        const resource = data['resource'] as { data: Row } | undefined;
        if (resource !== undefined) events.push({ event, data: resource.data });
        return Promise.resolve();
      },
    });
  }, 600_000);
  afterAll(() => world?.close());
}
