import type { ErrorCode } from '@adit/contracts';
import { columns, LookEntity, returned, type LookAnswer } from '@adit/database';
import type { EntityManager } from 'typeorm';

/** Asks what a picture shows. */
export async function insertLook(
  manager: EntityManager,
  look: Pick<LookEntity, 'id' | 'workspaceId' | 'source' | 'objectKey' | 'question'>,
): Promise<void> {
  await manager.insert(LookEntity, columns<LookEntity>(look));
}

/** Takes a question for this process; null when another one took it, or nobody waits any more. */
export async function takeLook(manager: EntityManager, id: string): Promise<LookEntity | null> {
  const taken = returned(
    await manager.query('UPDATE looks SET taken = true WHERE id = $1 AND NOT taken RETURNING id', [id]),
  );
  return taken.length === 0 ? null : manager.findOneBy(LookEntity, { id });
}

export async function answerLook(manager: EntityManager, id: string, answer: LookAnswer): Promise<void> {
  await manager.query('UPDATE looks SET answer = $2 WHERE id = $1', [id, JSON.stringify(answer)]);
}

/** Says why there is no answer. */
export async function refuseLook(
  manager: EntityManager,
  id: string,
  { code, message }: { code: ErrorCode; message: string },
): Promise<void> {
  await manager.query('UPDATE looks SET problem = $2 WHERE id = $1', [id, JSON.stringify({ code, message })]);
}

export async function deleteLook(manager: EntityManager, id: string): Promise<void> {
  await manager.delete(LookEntity, { id });
}
