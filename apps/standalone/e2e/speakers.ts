import { setTimeout } from 'node:timers/promises';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sampleMedia, transcode } from '@adit/testing';
import { z } from 'zod';
import type { EngineUnderTest } from './engine-under-test.js';

interface Turn {
  until: number;
  speaker: string;
}

/** Seconds of the recordings: an address of 1961, its first half, and two prompts. */
const [ADDRESS, HALF, BUSY, ANNOUNCED] = [11, 5.3, 8.969, 7.837];

/** A man and a woman who speak in turns, with the ends of their turns; `prompts` is one of hers, others lie beside it. */
export async function twoInTurns(prompts: string, folder: string): Promise<{ path: string; turns: Turn[] }> {
  const { kennedy } = sampleMedia();
  const prompt = (name: string): string[] => ['-f', 'g722', '-i', join(dirname(prompts), name)];
  const made = await transcode('in-turns.flac', [
    ...['-i', kennedy, ...prompt('tt-allbusy.g722'), '-t', String(HALF), '-i', kennedy],
    ...prompt('queue-periodic-announce.g722'),
    ...['-filter_complex', '[0][1][2][3]concat=n=4:v=0:a=1', '-ar', '16000'],
  ]);
  const path = join(folder, 'in-turns.flac');
  await copyFile(made, path);
  const turns = [ADDRESS, BUSY, HALF, ANNOUNCED].reduce<Turn[]>((all, seconds, i) => {
    const until = (all.at(-1)?.until ?? 0) + seconds;
    return [...all, { until, speaker: `Speaker ${(i % 2) + 1}` }];
  }, []);
  return { path, turns };
}

/** The speaker at a second. */
export function speakerAt(turns: readonly Turn[], time: number): string | null {
  return turns.find(({ until }) => time < until)?.speaker ?? null;
}

const Models = z.object({ data: z.array(z.object({ name: z.string() })) });

/** Resolves when a running engine serves a model that was put into its folder. */
export async function served({ api }: EngineUnderTest, name: string): Promise<void> {
  for (const end = Date.now() + 60_000; ; await setTimeout(100)) {
    const { data } = Models.parse(await (await api.request('GET', '/models/?kind=network&limit=100')).json());
    if (data.some((model) => model.name === name)) return;
    if (Date.now() > end) throw new Error(`${name} is not served.`);
  }
}
