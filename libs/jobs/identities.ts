import { IdentityEntity } from '@adit/database';
import type { IdentityClaim } from '@adit/mining';
import type { EntityManager } from 'typeorm';

/**
 * Gives a claim to the nearest identity of its collection within reach, or founds a new one (leader clustering with
 * running means). The caller holds the job's row, so numbers are dense and nobody founds the same one twice.
 *
 * @returns the identity's number within the collection, from 1.
 */
export async function assignIdentity(manager: EntityManager, jobId: string, claim: IdentityClaim): Promise<number> {
  const { collection, embedding, maxDistance } = claim;
  const identities = await manager.find(IdentityEntity, { where: { jobId, collection }, order: { number: 'ASC' } });
  let nearest: { identity: IdentityEntity; centroid: Float32Array; distance: number } | null = null;
  for (const identity of identities) {
    const centroid = decode(identity.centroid);
    const distance = euclidean(centroid, embedding);
    if (distance <= maxDistance && (nearest === null || distance < nearest.distance)) {
      nearest = { identity, centroid, distance };
    }
  }
  if (nearest === null) {
    const number = identities.length + 1;
    await manager.insert(IdentityEntity, { jobId, collection, number, centroid: encode(embedding), members: 1 });
    return number;
  }
  const { identity, centroid } = nearest;
  const mean = embedding.map((value, index) => centroid[index]! * identity.members + value);
  await manager.update(
    IdentityEntity,
    { jobId, collection, number: identity.number },
    { centroid: encode(normalised(mean)), members: identity.members + 1 },
  );
  return identity.number;
}

function euclidean(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index]! - b[index]!) ** 2;
  return Math.sqrt(sum);
}

function normalised(vector: number[]): number[] {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

function encode(vector: ArrayLike<number>): Buffer {
  const bytes = Buffer.alloc(vector.length * 4);
  for (let index = 0; index < vector.length; index++) bytes.writeFloatLE(vector[index]!, index * 4);
  return bytes;
}

function decode(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
