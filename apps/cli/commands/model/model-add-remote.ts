import { openAsBlob } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { AditApiError } from '@adit/client';
import { AditError } from '@adit/contracts';
import { textOf } from '@adit/inference';
import { inspectModel, packModel } from '@adit/model-inspection';
import { onEngine, type EngineWork } from '../../engine/engine-work.js';
import type { ModelAddOptions } from './model-add.js';
import { withGraph } from './model-file.js';

/** Adds an ONNX file, with what lies beside it, or that of a folder or an archive, to the models of an engine that runs elsewhere. */
export function addModelThere(file: string, options: ModelAddOptions): Promise<void> {
  return onEngine(options, (engine) => withGraph(file, (path) => sendGraph(path, options, engine)));
}

async function sendGraph(path: string, options: ModelAddOptions, { client, signal }: EngineWork): Promise<void> {
  const said = await answers(options);
  // Check locally first: a model that cannot work is refused before anything is sent.
  const { external, proposal } = await inspectModel(path, { signal });
  const folder = await mkdtemp(join(tmpdir(), 'adit-model-add-'));
  try {
    const content = await openAsBlob(await packModel(path, external, folder));
    const model = await client
      .request('POST /v1/models/', { form: { ...said, name: options.name, file: content }, signal })
      .catch((error: unknown) => {
        throw asOptions(error);
      });
    const { family, latest_version: version, scope } = model;
    const whose = scope === 'installation' ? 'all workspaces' : 'the workspace of the key';
    const note = proposal.note === null ? '' : `${proposal.note}\n`;
    process.stdout.write(
      `${model.name} version ${version.version_number}: of the family ${family ?? 'none'}, for ${whose}\n${note}`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The options as the API calls them. */
async function answers({ labels, shorterSide, logitScale, logitBias, textLength, ...options }: ModelAddOptions) {
  const { maxDistance, startToken, endToken } = options;
  const { family, decoding, size, colour, mean, std, resize: how, filter, pad, template } = options;
  const { description, licence, origin, changelog, scope } = options;
  return {
    ...(labels !== undefined && { labels: textOf(await readFile(resolve(labels)), labels) }),
    ...{ family, decoding, size, colour, mean, std, resize: how, filter, pad, template },
    ...{ shorter_side: shorterSide, logit_scale: logitScale, logit_bias: logitBias, text_length: textLength },
    ...{ max_distance: maxDistance, start_token: startToken, end_token: endToken },
    ...{ description, licence, origin, changelog, scope },
  };
}

/** Translates the names of API fields in an error into those of options. */
function asOptions(error: unknown): unknown {
  if (!(error instanceof AditApiError) || error.code !== 'VALIDATION' || error.errors.length === 0) return error;
  const [whole = ''] = error.message.split('\n', 1);
  const lines = error.errors.map(({ pointer, message }) => `  --${pointer.slice(1).replaceAll('_', '-')}: ${message}`);
  return new AditError('VALIDATION', [whole, ...lines].join('\n'));
}
