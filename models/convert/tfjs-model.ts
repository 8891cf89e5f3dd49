import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { conversionError } from './tensor.js';
import { WeightsManifest } from './weights.js';

const Integer = z.union([z.number(), z.string()]).transform(Number);
const Text = z.string().transform((encoded) => Buffer.from(encoded, 'base64').toString('utf8'));
const Shape = z.object({ dim: z.array(z.object({ size: Integer })).default([]) });

/** One attribute of a TensorFlow node in protobuf's JSON form: exactly one member is set. */
const Attribute = z.object({
  i: Integer.optional(),
  f: z.number().optional(),
  b: z.boolean().optional(),
  s: Text.optional(),
  shape: Shape.optional(),
  list: z.object({ i: z.array(Integer).optional(), s: z.array(Text).optional() }).optional(),
});

export const TfjsNode = z.object({
  name: z.string(),
  op: z.string(),
  input: z.array(z.string()).default([]),
  attr: z.record(z.string(), Attribute).default({}),
});
export type TfjsNode = z.infer<typeof TfjsNode>;

const Signature = z.object({ outputs: z.record(z.string(), z.object({ name: z.string() })) });

/** TensorFlow.js' graph model: model.json beside its weight shards. */
export const TfjsModel = z.object({
  modelTopology: z.object({ node: z.array(TfjsNode) }),
  weightsManifest: WeightsManifest,
  signature: Signature.optional(),
  userDefinedMetadata: z.object({ signature: Signature.optional() }).optional(),
});
export type TfjsModel = z.infer<typeof TfjsModel>;

/** Reads one JSON document of a package and checks it. @throws AditError naming the file. */
export async function readDocument<T extends z.ZodType>(path: string, schema: T): Promise<z.output<T>> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (cause) {
    throw conversionError(`${path} is not the document the catalogue expects; install the package again`, cause);
  }
}

/** Names of the graph's outputs and the nodes they come from; every unread node when the model has no signature. */
export function outputsOf(model: TfjsModel): { name: string; node: string }[] {
  const signature = model.signature ?? model.userDefinedMetadata?.signature;
  if (signature !== undefined) {
    return Object.entries(signature.outputs).map(([name, output]) => ({
      name: withoutPort(name),
      node: withoutPort(output.name),
    }));
  }
  const read = new Set(model.modelTopology.node.flatMap((node) => node.input.map(withoutPort)));
  return model.modelTopology.node
    .filter((node) => !read.has(node.name))
    .map((node) => ({ name: node.name, node: node.name }));
}

/** `^name` is a control edge and `name:0` the first output of a node. */
export function withoutPort(reference: string): string {
  return reference.replace(/^\^/, '').replace(/:\d+$/, '');
}
