import { ProbeEntity, type ProbeResult } from '@adit/database';
import type { EntityManager } from 'typeorm';

/** Asks what sources are. */
export async function insertProbe(
  manager: EntityManager,
  probe: Pick<ProbeEntity, 'id' | 'workspaceId' | 'sources'>,
): Promise<void> {
  await manager.insert(ProbeEntity, probe);
}

/** Takes a question for this process; null when another one took it, or nobody waits any more. */
export async function takeProbe(manager: EntityManager, id: string): Promise<ProbeEntity | null> {
  const { affected } = await manager.update(ProbeEntity, { id, taken: false }, { taken: true });
  return affected === 0 ? null : manager.findOneBy(ProbeEntity, { id });
}

export async function answerProbe(manager: EntityManager, id: string, results: ProbeResult[]): Promise<void> {
  await manager.update(ProbeEntity, { id }, { results });
}

/** Says that there is no answer now. */
export async function refuseProbe(manager: EntityManager, id: string): Promise<void> {
  await manager.update(ProbeEntity, { id }, { unavailable: true });
}

export async function deleteProbe(manager: EntityManager, id: string): Promise<void> {
  await manager.delete(ProbeEntity, { id });
}
