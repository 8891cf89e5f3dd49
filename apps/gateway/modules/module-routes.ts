import { z } from 'zod';
import { defineRoute } from '../http/route.js';

export const listModules = defineRoute({
  method: 'GET',
  path: '/v1/modules/',
  summary: 'Modules with their arguments and the models installed for them',
  description:
    'What a job may ask. `arguments` is the JSON Schema of what a module takes; `models_not_installed` would be used if they were there.',
  tag: 'Modules',
  reply: z.array(
    z
      .strictObject({
        id: z.string(),
        aliases: z.array(z.string()),
        result_module: z.string(),
        media: z.array(z.string()),
        arguments: z.record(z.string(), z.unknown()).describe('JSON Schema'),
        models: z.array(
          z
            .strictObject({ name: z.string(), version: z.int(), is_default: z.boolean() })
            .meta({ id: 'InstalledModel' }),
        ),
        models_not_installed: z.array(
          z.strictObject({ name: z.string(), purpose: z.string() }).meta({ id: 'MissingModel' }),
        ),
      })
      .meta({ id: 'Module' }),
  ),
});
