import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AditError, zip } from '@adit/contracts';
import { z } from 'zod';
import type { ModelVersion } from './model-folder.js';
import type { Row } from '../session.js';
import { floatsOf, type Tensor } from '../tensor.js';

const GoldenTensor = z.strictObject({
  type: z.enum(['float32', 'uint8', 'int32', 'int64', 'bool']).default('float32'),
  dims: z.array(z.int().positive()),
  data: z.array(z.number()),
});

/**
 * Content of `<name>/<version>/golden.json`: one input row (without the batch dimension) and the expected outputs.
 * `tolerance` is the largest difference allowed at any value.
 */
const Golden = z.strictObject({
  inputs: z.record(z.string(), GoldenTensor),
  outputs: z.record(z.string(), GoldenTensor),
  tolerance: z.number().positive().default(1e-3),
});
type Golden = z.infer<typeof Golden>;

/** Runs a version's golden input, if any. Throws VALIDATION when an output differs. */
export async function checkGolden(model: ModelVersion, run: (row: Row) => Promise<Row>): Promise<void> {
  const text = await readFile(join(model.folder, 'golden.json'), 'utf8').catch(() => null);
  if (text === null) return;
  const checked = Golden.safeParse(JSON.parse(text));
  if (!checked.success)
    throw new AditError('VALIDATION', `golden.json: ${checked.error.issues[0]?.message ?? 'unreadable'}.`);
  const row: Row = {};
  for (const [name, tensor] of Object.entries(checked.data.inputs)) row[name] = tensorOf(tensor);
  const outs = floatsOf(await run(row));
  for (const [name, wanted] of Object.entries(checked.data.outputs)) {
    const got = outs[name];
    if (got?.data.length !== wanted.data.length)
      throw new AditError('VALIDATION', `The golden output ${name} is missing or of another size.`);
    let worst = 0;
    for (const [value, given] of zip(wanted.data, got.data)) worst = Math.max(worst, Math.abs(value - given));
    if (!(worst <= checked.data.tolerance)) {
      throw new AditError(
        'VALIDATION',
        `The golden output ${name} differs by ${worst}, allowed is ${checked.data.tolerance}.`,
      );
    }
  }
}

function tensorOf({ type, dims, data }: z.infer<typeof GoldenTensor>): Tensor {
  switch (type) {
    case 'float32':
      return { type, dims, data: Float32Array.from(data) };
    case 'int32':
      return { type, dims, data: Int32Array.from(data) };
    case 'int64':
      return { type, dims, data: BigInt64Array.from(data, BigInt) };
    default:
      return { type, dims, data: Uint8Array.from(data) };
  }
}
