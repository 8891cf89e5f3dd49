import type { ErrorCode } from '@adit/contracts';
import { columns, InferenceRequestEntity, returned, type InferenceResponse } from '@adit/database';
import type { EntityManager } from 'typeorm';

/** Asks what a picture shows. */
export async function insertInferenceRequest(
  manager: EntityManager,
  request: Pick<InferenceRequestEntity, 'id' | 'workspaceId' | 'source' | 'objectKey' | 'question'>,
): Promise<void> {
  await manager.insert(InferenceRequestEntity, columns<InferenceRequestEntity>(request));
}

/** Takes a question for this process; null when another one took it, or nobody waits any more. */
export async function claimInferenceRequest(
  manager: EntityManager,
  id: string,
): Promise<InferenceRequestEntity | null> {
  const taken = returned(
    await manager.query('UPDATE looks SET taken = true WHERE id = $1 AND NOT taken RETURNING id', [id]),
  );
  return taken.length === 0 ? null : manager.findOneBy(InferenceRequestEntity, { id });
}

export async function answerInferenceRequest(
  manager: EntityManager,
  id: string,
  answer: InferenceResponse,
): Promise<void> {
  await manager.query('UPDATE looks SET answer = $2 WHERE id = $1', [id, JSON.stringify(answer)]);
}

/** Says why there is no answer. */
export async function failInferenceRequest(
  manager: EntityManager,
  id: string,
  { code, message }: { code: ErrorCode; message: string },
): Promise<void> {
  await manager.query('UPDATE looks SET problem = $2 WHERE id = $1', [id, JSON.stringify({ code, message })]);
}

export async function deleteInferenceRequest(manager: EntityManager, id: string): Promise<void> {
  await manager.delete(InferenceRequestEntity, { id });
}
