import { Dictionary, DictionaryPage, languageName, LANGUAGES } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { inPages, Message, OptionalPage, UuidInPath } from '../http/shapes.js';

const tag = 'Dictionaries';
const params = z.object({ dictionaryId: UuidInPath.describe('Id of the dictionary') });

const example = {
  id: '6e4a8c0d-2f1b-4d75-9c3e-8b7a6f5d4e3c',
  name: 'objects-german.csv',
  type: 'map' as const,
  language: 'any' as const,
  time_created: '2026-11-21T07:00:00.000000Z',
  is_public: false,
};

/** `auto`: the language is looked for after the reply. */
const Language = z
  .string()
  .max(64)
  .transform((text, context) => {
    const given = text.trim().toLowerCase();
    if (given === 'any' || given === 'auto') return given;
    const name = languageName(given);
    if (name !== null) return name;
    const message = `${JSON.stringify(text)} is not known; it is any, auto or one of ${Object.values(LANGUAGES).join(', ')}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
const described = Language.describe('any, auto, or a language by name (german) or code (de)');
const Name = z.string().trim().min(1).max(255);

/** Fields beside the file. */
export const NewDictionary = z.strictObject({
  name: Name.optional().describe('Default: the name of the file'),
  language: described.default('any'),
});
export const ReplacedDictionary = z
  .strictObject({
    name: Name.describe('Name of the dictionary, 1 to 255 characters'),
    language: described.default('any'),
  })
  .meta({ id: 'DictionaryReplacement' });
export const ChangedDictionary = z
  .strictObject({
    name: Name.optional().describe('Name of the dictionary, 1 to 255 characters'),
    language: described.optional(),
  })
  .meta({ id: 'DictionaryChange' });

const file = z
  .string()
  .meta({ format: 'binary' })
  .describe('text/plain: an entry a line. text/csv: a header with at least the columns source and target. UTF-8.');

export const uploadDictionary = defineRoute({
  method: 'POST',
  path: '/v1/dictionaries/',
  summary: 'Upload a dictionary',
  description:
    'The type follows from the file: text/plain is `simple`, text/csv is `map`. With the language `auto` the reply says ' +
    '`any`; the language is set once it has been detected, and stays `any` when it cannot be told. What is wrong with a ' +
    'file is named line by line, with the pointer `/file/lines/N`.',
  tag,
  form: NewDictionary.extend({ file }).strip().meta({ id: 'DictionaryForm' }),
  reply: Dictionary,
  errors: ['TOO_LARGE', 'CONFLICT'],
  example: { reply: example },
});

export const listDictionaries = defineRoute({
  method: 'GET',
  path: '/v1/dictionaries/',
  summary: 'List the dictionaries of the workspace and the public ones',
  description: 'A plain list of all; with `offset` or `limit` it comes in pages.',
  tag,
  query: OptionalPage,
  reply: z.array(Dictionary),
  otherwise: inPages(DictionaryPage),
  example: { reply: [example] },
});

export const getDictionary = defineRoute({
  method: 'GET',
  path: '/v1/dictionaries/:dictionaryId/',
  summary: 'Read a dictionary',
  description: 'Facts about the dictionary. Download its file for the entries.',
  tag,
  params,
  reply: Dictionary,
  errors: ['NOT_FOUND'],
  example: { reply: example },
});

export const getDictionaryFile = defineRoute({
  method: 'GET',
  path: '/v1/dictionaries/:dictionaryId/file/',
  summary: 'Download the file of a dictionary',
  description: 'The file as it was uploaded. Takes Range, If-Range and If-None-Match.',
  tag,
  params,
  reply: { contentType: 'application/octet-stream', description: 'The file as it was uploaded', isFile: true },
  errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
});

const changing =
  'Jobs that were posted before keep the dictionary as it was. Public dictionaries cannot be changed. Send JSON, or ' +
  'multipart/form-data with a new file.';

export const replaceDictionary = defineRoute({
  method: 'PUT',
  path: '/v1/dictionaries/:dictionaryId/',
  summary: 'Replace name and language, and the file when one is sent',
  description: changing,
  tag,
  params,
  body: ReplacedDictionary.optional(),
  form: ReplacedDictionary.extend({ file: file.optional() }).strip().meta({ id: 'DictionaryReplacementForm' }),
  reply: Dictionary,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'TOO_LARGE'],
});

export const changeDictionary = defineRoute({
  method: 'PATCH',
  path: '/v1/dictionaries/:dictionaryId/',
  summary: 'Change what is sent',
  description: changing,
  tag,
  params,
  body: ChangedDictionary.optional(),
  form: ChangedDictionary.extend({ file: file.optional() }).strip().meta({ id: 'DictionaryChangeForm' }),
  reply: Dictionary,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'TOO_LARGE'],
});

export const deleteDictionary = defineRoute({
  method: 'DELETE',
  path: '/v1/dictionaries/:dictionaryId/',
  summary: 'Remove a dictionary',
  description: 'One that a job still needs answers 409; public ones answer 403.',
  tag,
  params,
  reply: Message,
  errors: ['NOT_FOUND', 'CONFLICT', 'FORBIDDEN'],
  example: { reply: { message: `The dictionary ${example.name} was deleted.` } },
});
