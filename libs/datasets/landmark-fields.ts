import { AditError, landmarkOf, landmarkProblem, type CustomFields, type Landmark } from '@adit/contracts';

/**
 * Reads a landmark from a class's custom fields: `type`, `latitude`, `longitude` and `location` in any of the objects,
 * as text, numbers or lists of texts. Other fields belong to the client. Throws VALIDATION, naming the class.
 */
export function landmarkOfFields(label: string, fields: CustomFields): Landmark {
  const said: Record<string, unknown> = Object.assign({}, ...fields);
  const field = (name: string): string => textOf(label, name, said[name]);
  const text = {
    type: field('type'),
    latitude: field('latitude'),
    longitude: field('longitude'),
    location: field('location'),
  };
  const problem = landmarkProblem(text);
  if (problem === null) return landmarkOf(text);
  throw new AditError('VALIDATION', `custom_fields of the class ${label}: ${problem}`);
}

function textOf(label: string, field: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value) && value.every((part) => typeof part === 'string'))
    return value.map((part) => `${part}|`).join('');
  throw new AditError('VALIDATION', `custom_fields of the class ${label}: ${field} is no text.`);
}
