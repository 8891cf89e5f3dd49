import { AditError, type ModelManifest } from '@adit/contracts';
import type { Answer, RgbImage } from '@adit/inference';
// A partial import, since the whole package would cost the process more than most models.
import { refuseUnreadable } from '@adit/inference/families/check-reading';
import { runOnPicture } from '@adit/inference/preprocess';
import { SessionPool } from '@adit/inference/session-pool';

/**
 * Runs a model as jobs will, on two pictures, and reads its answers. Throws VALIDATION, with the wrong field, where its
 * outputs contradict its manifest. Run it in a separate process (`rehearseModel`).
 * @param folder has the graph as `model.onnx`, with related files beside it
 */
export async function rehearseHere(folder: string, manifest: ModelManifest): Promise<void> {
  const { input } = manifest;
  if (input === undefined) return;
  const pool = new SessionPool({ onnx: { threads: 1 } });
  const pin = { name: manifest.name, version: 1, digest: '0'.repeat(64) };
  const files = [{ name: 'model.onnx', size: Infinity, mtimeMs: 0, sha256: pin.digest }];
  try {
    const { network, release } = await pool.acquire({ pin, manifest, builtIn: false, folder, files });
    try {
      const answers: Answer[] = [];
      for (const picture of [noise(input), waves(input)]) answers.push(await runOnPicture(network, picture, 'whole'));
      refuseUnreadable(manifest, answers);
    } finally {
      release();
    }
  } catch (error) {
    const { code, message, options } = AditError.from(error);
    throw code === 'VALIDATION'
      ? error
      : new AditError('VALIDATION', `It does not run as a job would: ${message}`, options);
  } finally {
    await pool.close();
  }
}

type Size = { width: number; height: number };

function noise(size: Size): RgbImage {
  let state = 1;
  return picture(size, () => (state = (state * 48271) % 2147483647) % 256);
}

/** A few large shapes: brightness that changes slowly across and down, at a different rate per colour. */
function waves(size: Size): RgbImage {
  return picture(size, (x, y, colour) => 128 + 100 * Math.sin(x / (9 + 4 * colour)) * Math.cos(y / (13 - 3 * colour)));
}

function picture({ width, height }: Size, value: (x: number, y: number, colour: number) => number): RgbImage {
  const data = new Uint8Array(width * height * 3);
  for (let at = 0; at < data.length; at++) {
    const pixel = Math.floor(at / 3);
    data[at] = value(pixel % width, Math.floor(pixel / width), at % 3);
  }
  return { data, width, height };
}
