import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditApiError, type AditClient, type Prediction } from '@adit/client';
import { Box, ONLINE_INFERENCE_LIMITS } from '@adit/contracts';
import type { LabelledPicture, Predicted, Unreadable } from '@adit/evaluation';

/** A version of a model, with the arguments of its module. */
export interface Asked {
  modelId: string;
  version: number;
  arguments: Record<string, unknown>;
}

/** Requests under way; a key may have eight (ADIT_ONLINE_INFERENCE_CONCURRENCY). */
const CONCURRENCY = 4;
/** A model that is asked for the first time is loaded, for which the answer may come too late. */
const ATTEMPTS = 5;
const PAUSE_MS = 1000;
/** Whom a gallery does not know; a thing may be called so. */
const UNKNOWN = 'unknown';
const OBJECTS: readonly string[] = ['object', 'scene'];
/** Errors of one picture, or of the model on it, rather than of the request. */
const OF_THE_PICTURE: readonly string[] = ['MEDIA_INVALID', 'TOO_LARGE', 'SOURCE_REFUSED', 'LIMIT_EXCEEDED'];

/**
 * Yields the predictions of a version for each picture, in their order, through the API. `done` is called after each.
 * Throws other refusals of the service.
 */
export async function predictPictures(
  client: AditClient,
  asked: Asked,
  pictures: readonly LabelledPicture[],
  { signal, done }: { signal: AbortSignal; done: () => void },
): Promise<(Predicted | Unreadable)[]> {
  const answers: (Predicted | Unreadable)[] = [];
  const waiting = pictures.entries();
  // Nobody waits for what others ask when one has failed.
  const failed = new AbortController();
  const any = AbortSignal.any([signal, failed.signal]);
  const work = async (): Promise<void> => {
    for (const [at, picture] of waiting) {
      any.throwIfAborted();
      answers[at] = await predict(client, asked, picture, any);
      done();
    }
  };
  const workers = Array.from({ length: CONCURRENCY }, () =>
    work().catch((error: unknown) => {
      failed.abort(error);
      throw error;
    }),
  );
  await Promise.allSettled(workers);
  // The first that failed says why.
  any.throwIfAborted();
  return answers;
}

async function predict(
  client: AditClient,
  asked: Asked,
  { place }: LabelledPicture,
  signal: AbortSignal,
): Promise<Predicted | Unreadable> {
  const { modelId, version } = asked;
  if ('path' in place) {
    const { size } = await stat(place.path);
    if (size > ONLINE_INFERENCE_LIMITS.bytes)
      return { problem: `It has ${size} bytes; at most ${ONLINE_INFERENCE_LIMITS.bytes} are sent.` };
  }
  const picture = 'uri' in place ? { file_uri: place.uri } : { file: await openAsBlob(place.path) };
  const form = { version, arguments: asked.arguments, ...picture };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const key = 'POST /v1/models/{modelId}/predict/';
      return predicted(await client.request(key, { params: { modelId }, form, signal }));
    } catch (error) {
      if (!(error instanceof AditApiError)) throw error;
      if (OF_THE_PICTURE.includes(error.code)) return { problem: error.message };
      if (error.code !== 'UNAVAILABLE' || attempt === ATTEMPTS) throw error;
    }
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Boxes with their own scores, and labels of the whole picture; somebody unknown is nobody. */
function predicted({ width, height, results }: Prediction): Predicted {
  const found = results.flatMap(({ type, label, confidence, detections }): Predicted['found'] => {
    if (label === UNKNOWN && !OBJECTS.includes(type)) return [];
    const boxes = detections.flatMap(({ data }) => {
      const box = Box.safeParse(data);
      return box.success ? [{ label, score: data['confidence'] ?? confidence, box: box.data }] : [];
    });
    return boxes.length > 0 ? boxes : [{ label, score: confidence, box: null }];
  });
  return { width, height, found };
}
