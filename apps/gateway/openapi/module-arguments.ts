import { MODULES_OF_A_REQUEST } from '@adit/contracts';
import type { ModuleRegistry } from '@adit/module-kit';
import { pascal, type JsonSchemas } from './json-schemas.js';
import type { JsonSchema } from './plain-schema.js';

/** Puts what each module takes in place of what the contracts can say of it: an object of anything. */
export function describeModules({ modules }: ModuleRegistry, schemas: JsonSchemas): void {
  const properties = modules.map(({ id, aliases, media, args }): [string, JsonSchema] => {
    const other = aliases.length === 0 ? '' : `. Jobs may call it ${aliases.join(' or ')} as well`;
    const description = `Arguments of ${id}, for ${media.join(' and ')}${other}`;
    return [id, { ...schemas.of(args, 'input', `${pascal(id)}Arguments`), description }];
  });
  schemas.replace(MODULES_OF_A_REQUEST, 'input', {
    type: 'object',
    description:
      'Arguments by module. Of modules that were added to this installation `GET /v1/modules/` tells the rest',
    properties: Object.fromEntries(properties),
    additionalProperties: { type: 'object', additionalProperties: true },
  });
}
