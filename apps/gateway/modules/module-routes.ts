import { z } from 'zod';
import { defineRoute } from '../http/route.js';

export const listModules = defineRoute({
  method: 'GET',
  path: '/v1/modules/',
  summary: 'Modules with their arguments and the models installed for them',
  description:
    "Lists the modules of a job. `arguments` is the JSON Schema of a module's arguments; `models_not_installed` are models that it would use.",
  tag: 'Modules',
  reply: z.array(
    z
      .strictObject({
        id: z.string().describe('Name in jobs'),
        aliases: z.array(z.string()).describe('Other names that jobs may call it'),
        result_module: z.string().describe('Name in results'),
        media: z.array(z.string()).describe('Kinds of source that it can be asked of'),
        arguments: z.record(z.string(), z.unknown()).describe('JSON Schema of what a job may ask of it'),
        models: z
          .array(
            z
              .strictObject({
                name: z.string().describe('Name of the model'),
                version: z.int().describe('Number of the version'),
                is_default: z.boolean().describe('Whether it is used if a job names none'),
              })
              .meta({ id: 'InstalledModel' }),
          )
          .describe('Models that its `model` may name, in the versions that are used'),
        models_not_installed: z
          .array(
            z
              .strictObject({
                name: z.string().describe('Name of the model'),
                purpose: z.string().describe('Its benefit'),
              })
              .meta({ id: 'MissingModel' }),
          )
          .describe('Models that it would use if they were there'),
      })
      .meta({ id: 'Module' }),
  ),
  example: {
    reply: [
      {
        id: 'face_recognition',
        aliases: [],
        result_module: 'face_recognition',
        media: ['image', 'video'],
        arguments: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          type: 'object',
          properties: { max_distance: { type: 'number', minimum: 0, maximum: 2 } },
          additionalProperties: false,
        },
        models: [{ name: 'team', version: 1, is_default: true }],
        models_not_installed: [],
      },
    ],
  },
});
