import {
  ArtifactPage,
  Export,
  Transcript,
  TranscriptParagraph,
  TranscriptParagraphPage,
  TranscriptVariantPage,
  type DetailedResult,
} from '@adit/contracts';
import type { Api } from './api.js';

/** Results of a recording, without ids and times of day: equal wherever it was mined. */
interface SpeechJob {
  segments: DetailedResult[];
  /** The artifacts of the job, by name. */
  files: Map<string, Buffer>;
  /** The exported subtitles, in which the first word of the first paragraph was changed. */
  edited: string;
}

const CHANGED = 'Well';

/** One recording from the recogniser through transcript and edit to the exported file. */
export async function speechJob(api: Api, source: string): Promise<SpeechJob> {
  const args = { word_level_timestamps: true, dump_srt: true, dump_docx: true };
  const { id } = await api.mine({ sources: [source], modules: { speech_recognition: args } });
  const { id: transcript } = await api.call(Transcript, 'POST', '/transcripts/', { job_id: id });
  const [variant] = (await api.call(TranscriptVariantPage, 'GET', `/transcripts/${transcript}/variants/?limit=1`)).data;
  const paragraphs = `/transcripts/${transcript}/variants/${variant!.id}/versions/1/paragraphs/`;
  const [first] = (await api.call(TranscriptParagraphPage, 'GET', `${paragraphs}?limit=1`)).data;
  await api.call(
    TranscriptParagraph,
    'PUT',
    `${paragraphs}${first!.id}/`,
    { text: first!.text.replace(/^\S+/u, CHANGED), speaker: first!.speaker },
    { 'if-match': `"${first!.revision}"` },
  );
  const config = { transcript_id: transcript, variant_id: variant!.id, format: 'srt' };
  const exported = await finished(
    api,
    await api.call(Export, 'POST', '/exports/', { strategy: 'transcript_export', config }),
  );
  const [file] = (await filesOf(api, `/exports/${exported.id}`)).values();
  return { segments: await api.segments(id), files: await filesOf(api, `/jobs/${id}`), edited: String(file) };
}

async function finished(api: Api, { id }: Export): Promise<Export> {
  for (const end = Date.now() + 120_000; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const exported = await api.call(Export, 'GET', `/exports/${id}/`);
    if (exported.state === 'completed') return exported;
    if (exported.state === 'failed' || Date.now() > end) throw new Error(`The export ${exported.error_msg ?? 'hangs'}`);
  }
}

async function filesOf(api: Api, owner: string): Promise<Map<string, Buffer>> {
  const { data } = await api.call(ArtifactPage, 'GET', `${owner}/artifacts/`);
  const files = new Map<string, Buffer>();
  for (const { id, filename } of data) {
    const reply = await api.request('GET', `${owner}/artifacts/${id}/file/`);
    files.set(filename, Buffer.from(await reply.arrayBuffer()));
  }
  return files;
}
