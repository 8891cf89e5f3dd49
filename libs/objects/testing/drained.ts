import type { Readable } from 'node:stream';
import type { ObjectInfo } from '../port.js';

export async function all(objects: AsyncIterable<ObjectInfo>): Promise<ObjectInfo[]> {
  const found: ObjectInfo[] = [];
  for await (const object of objects) found.push(object);
  return found;
}

export async function drain(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = await stream.toArray();
  return Buffer.concat(chunks);
}
