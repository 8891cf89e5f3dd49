import { StandardArguments } from '@adit/contracts';
import { z } from 'zod';

const Dictionaries = z.array(z.uuid()).max(16).nullable().default(null);

export const LowerThirdArguments = StandardArguments.extend({
  model: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Name, id or digest of a model that reads lines of text, or finds them. One that reads is given the lines that the ' +
        'model of its name with -finder behind it finds, where that is installed.',
    ),
  detect_single_name: z.boolean().default(false).describe('A single name, such as Ada, counts as well.'),
  apply_generic: z
    .boolean()
    .default(true)
    .describe(
      'Find names by the generic name dictionary. Off, and without dictionaries: every line that looks like one.',
    ),
  name_dictionary_list: Dictionaries.describe('Ids of dictionaries of names; they come before the generic one.'),
  min_face_size: z
    .int()
    .min(1)
    .max(10_000)
    .default(112)
    .describe('Pixels of the shorter side from which a face counts.'),
  sharpness_threshold: z.number().min(0).max(100).default(40).describe('Sharpness from which a face counts.'),
  only_faces: z.boolean().default(true).describe('A lower third counts only while a face that counts is to be seen.'),
  dataset: z
    .uuid()
    .nullable()
    .default(null)
    .describe(
      'Id of a dataset of faces: the face that is shown alone with a name becomes an image of the class of that name, ' +
        'inactive until somebody agrees.',
    ),
  secondary_dictionaries: Dictionaries.describe('Ids of dictionaries asked about lines in which no name was found.'),
});
export type LowerThirdArguments = z.infer<typeof LowerThirdArguments>;
