import type { AditClient, Model } from '@adit/client';
import { AditError } from '@adit/contracts';

/**
 * Selects the modules that take a model, given by name or id. Returns all modules if there is no such model, since the
 * engine then lists the models. Throws VALIDATION if none of them takes it.
 */
export async function modulesTaking(client: AditClient, model: string, asked: string[]): Promise<string[]> {
  const found = await modelOf(client, model);
  if (found === null) return asked;
  const described = await client.request('GET /v1/modules/');
  const takers = described.filter(({ id }) => found.modules.includes(id));
  const taking = asked.filter((name) => takers.some(({ id, aliases }) => id === name || aliases.includes(name)));
  if (taking.length > 0) return taking;
  throw new AditError(
    'VALIDATION',
    `The model ${found.name} is for ${found.modules.join(' and ')}, and you ask ${asked.join(' and ')}: see --modules.`,
  );
}

/** A model that jobs may name, by its name or id; null when there is none. */
export async function modelOf(client: AditClient, given: string): Promise<Model | null> {
  for await (const model of client.items('GET /v1/models')) {
    if (model.name === given || model.id === given.toLowerCase()) return model;
  }
  return null;
}
