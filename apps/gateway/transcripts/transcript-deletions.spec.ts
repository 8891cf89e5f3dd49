/** @needs weights, build */
import { TranscriptEntity } from '@adit/database';
import { TranscriptErasures } from '@adit/transcript-store';
import { TranscriptWriter } from '@adit/transcript-store';
import { describe, expect, it } from '@jest/globals';
import { useTranscriptWorld, type Row, world, ask, codeOf } from './testing/transcript-world.js';

useTranscriptWorld();

/** Resolves when the audit log has the line, which is written soon after the reply. */
async function audited(id: string, line: { action: string; resource: string }): Promise<void> {
  for (;;) {
    const { data } = (await ask('GET', `audit-log/?resource_id=${id}`)).json<{ data: Row[] }>();
    if (data.some(({ action, resource }) => action === line.action && resource === line.resource)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('a variant that is deleted', () => {
  const copied = async (id: string, language = 'de'): Promise<string> =>
    (await ask('POST', `transcripts/${id}/variants/`, { language, mode: 'copy' })).json<{ id: string }>().id;
  const rowsOf = async (variantId: string): Promise<number[]> => {
    const { db } = world.gateway;
    const rows = [
      'transcript_variants WHERE id = $1',
      'transcript_versions WHERE variant_id = $1',
      'transcript_paragraphs WHERE variant_id = $1',
      `exports WHERE config ->> 'variant_id' = $1::uuid::text`,
    ];
    return Promise.all(
      rows.map(async (of) => {
        const [row] = await db.query<[{ n: number }]>(`SELECT count(*)::int AS n FROM ${of}`, [variantId]);
        return row.n;
      }),
    );
  };
  const exported = async (id: string, variantId: string): Promise<string> => {
    const config = { transcript_id: id, variant_id: variantId, format: 'srt' };
    return (await ask('POST', 'exports/', { strategy: 'transcript_export', config })).json<{ id: string }>().id;
  };

  it('a deleted variant goes with its versions, paragraphs and exports, and leaves the others', async () => {
    const [id, original] = await world.transcript();
    const variant = await copied(id);
    const url = `transcripts/${id}/variants/${variant}/`;
    const change = { after: null, text: 'Guten Abend.', time_start: 0, time_end: 1 };
    await ask('POST', `${url}versions/`, { changes: [change] });
    const [kept, gone] = [await exported(id, original), await exported(id, variant.toUpperCase())];
    expect([await rowsOf(variant), await rowsOf(original)]).toEqual([
      [1, 2, 3, 1],
      [1, 1, 2, 1],
    ]);
    expect((await ask('DELETE', url)).json()).toEqual({ message: `The variant de (${variant}) was deleted.` });
    expect([await rowsOf(variant), await rowsOf(original)]).toEqual([
      [0, 0, 0, 0],
      [1, 1, 2, 1],
    ]);
    expect((await ask('GET', `transcripts/${id}/variants/`)).json()).toMatchObject({ total: 1 });
    expect((await ask('GET', `exports/${kept}/`)).status).toBe(200);
    for (const [method, path] of [
      ['DELETE', url],
      ['GET', url],
      ['GET', `exports/${gone}/`],
    ] as const) {
      expect([method, path, (await ask(method, path)).status]).toEqual([method, path, 404]);
    }
    await audited(`${id}/${variant}`, { action: 'deleted', resource: 'transcripts/variants' });
    expect(codeOf(await ask('DELETE', `transcripts/${id}/variants/${original}/`))).toEqual([409, 'original_variant']);
    expect(await rowsOf(original)).toEqual([1, 1, 2, 1]);
  });

  it('a variant is deleted once, however many ask at once', async () => {
    const [id] = await world.transcript();
    const url = `transcripts/${id}/variants/${await copied(id)}/`;
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask('DELETE', url)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 404)]);
  });

  it('a variant is hidden when its process died during the deletion, and erased by the sweeper', async () => {
    const [id] = await world.transcript(Array.from({ length: 1_200 }, (_, at) => `Satz ${at}.`));
    const variant = await copied(id);
    const order = await exported(id, variant);
    const { db, app } = world.gateway;
    const erasures = app.get(TranscriptErasures, { strict: false });
    await app.get(TranscriptWriter, { strict: false }).removeVariant(world.gateway.workspaceId, id, variant);
    const url = `transcripts/${id}/variants/${variant}/`;
    const change = { after: null, text: 'a', time_start: 0, time_end: 1 };
    for (const [method, path, body] of [
      ['GET', url],
      ['DELETE', url],
      ['POST', `${url}versions/`, { changes: [change] }],
      ['GET', `${url}versions/1/paragraphs/`],
      ['GET', `exports/${order}/`],
    ] as const) {
      expect([method, path, (await ask(method, path, body)).status]).toEqual([method, path, 404]);
    }
    expect((await ask('GET', 'exports/?limit=100')).text).not.toContain(order);
    const again = await ask('POST', `transcripts/${id}/variants/`, {
      language: 'fr',
      mode: 'copy',
      variant_id: variant,
    });
    expect(codeOf(again)).toEqual([400, 'unknown_variant']);
    expect(await rowsOf(variant)).toEqual([1, 1, 1_200, 1]);
    // It dies once more, behind the first step.
    let steps = 0;
    await erasures.eraseVariant(variant, () => Promise.resolve((steps += 1) === 1));
    expect(await rowsOf(variant)).toEqual([1, 1, 201, 0]);
    for (const left of await erasures.leftVariants(100)) await erasures.eraseVariant(left.id);
    expect(await rowsOf(variant)).toEqual([0, 0, 0, 0]);
    expect(await db.manager.countBy(TranscriptEntity, { id })).toBe(1);
  });

  it('rows that an older build writes meanwhile are deleted, too', async () => {
    const [id] = await world.transcript();
    const variant = await copied(id);
    const { db, app } = world.gateway;
    await app.get(TranscriptWriter, { strict: false }).removeVariant(world.gateway.workspaceId, id, variant);
    const writing = db.createQueryRunner();
    await writing.startTransaction();
    await writing.query('SELECT 1 FROM transcript_variants WHERE id = $1 FOR UPDATE', [variant]);
    const erased = app.get(TranscriptErasures, { strict: false }).eraseVariant(variant);
    await writing.query(
      `INSERT INTO transcript_versions (variant_id, version, id, job_id, paragraphs, author)
       SELECT id, 2, gen_random_uuid(), job_id, 0, 'old' FROM transcript_variants WHERE id = $1`,
      [variant],
    );
    await writing.commitTransaction();
    await writing.release();
    await erased;
    expect(await rowsOf(variant)).toEqual([0, 0, 0, 0]);
  });
});
