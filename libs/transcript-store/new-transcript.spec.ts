/** @needs servers */
import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { insertSpeechJob } from './testing/speech-job.js';
import {
  describeTranscripts,
  BOUNDS,
  database,
  reader,
  made,
  workspaceId,
  read,
  texts,
} from './testing/describe-transcripts.js';

await describeTranscripts(() => {
  it('a new transcript is made of one source, with the translation of the job as a variant', async () => {
    const spoken = [
      { text: 'Hallo.', start: 0, end: 1, source: 1, speaker: 'Ada' },
      { text: 'Guten Abend.', start: 1.1, end: 3, source: 1, speaker: 'Bob' },
      { text: 'Hello. Good', start: 0, end: 1.5, source: 1, type: 'translation' },
      { text: 'evening.', start: 1.5, end: 3, source: 1, type: 'translation' },
      { text: 'Bye.', start: 4, end: 5, source: 1, type: 'translation' },
      { text: 'Andere.', start: 0, end: 1 },
      { text: '', start: 0, end: 1, type: 'silence' },
    ];
    const jobId = await insertSpeechJob(database.dataSource.manager, workspaceId, spoken, [
      'storage://a',
      'storage://b',
    ]);
    const order = { id: randomUUID(), author: 'spec', most: 1_000, ...BOUNDS };
    await expect(made.create(workspaceId, { job_id: jobId }, order)).rejects.toMatchObject({ code: 'VALIDATION' });
    await made.create(workspaceId, { job_id: jobId, source: 'storage://b' }, order);
    const { rows: variants } = await reader.variants(order.id, { offset: 0, limit: 10 });
    expect(variants.map(({ name, language }) => [name, language])).toEqual([
      ['original', 'de'],
      ['translation', 'en'],
    ]);
    const place = {
      workspaceId,
      transcriptId: order.id,
      variantId: variants[1]!.id,
      author: 'spec',
      ...BOUNDS,
    };
    expect((await read(place)).map(({ text, speaker }) => [text, speaker])).toEqual([
      ['Hello. Good', 'Ada'],
      ['evening.', 'Bob'],
      ['Bye.', null],
    ]);
    const request = { language: 'fr', mode: 'translate' as const };
    await expect(
      made.createVariant(workspaceId, order.id, request, { ...order, id: randomUUID() }),
    ).rejects.toMatchObject({
      code: 'VALIDATION',
      options: { errors: [{ code: 'model_not_installed' }] },
    });
    const copied = { ...request, mode: 'copy' as const };
    const { id: variantId } = await made.createVariant(workspaceId, order.id, copied, { ...order, id: randomUUID() });
    expect(await texts({ ...place, variantId })).toEqual(['Hallo.', 'Guten Abend.']);
  });
});
