import { Problem } from '@adit/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { z } from 'zod';
import type { Answer } from '../testing/gateway.js';
import { apiDocument, type Operation } from './operations.js';

const ajv = new Ajv2020({ strict: false, allErrors: true });
// The package is CommonJS; its function is the default of its default.
(formats as unknown as { default: (to: Ajv2020) => void }).default(ajv);
ajv.addSchema(apiDocument, 'openapi');

/**
 * Lists the differences between an answer and the documentation of its operation; empty when there are none. Its status
 * has to be documented, and its body has to fit the OpenAPI document and the zod schema behind it strictly.
 */
export function faultsOf({ method, path, route, documented }: Operation, answer: Answer): string[] {
  const faults: string[] = [];
  const { status, headers, text } = answer;
  if (typeof headers['x-request-id'] !== 'string') faults.push('it has no X-Request-Id');
  const response = documented.responses[String(status)];
  if (response === undefined) return [...faults, `the status ${status} is not documented: ${text.slice(0, 300)}`];
  // HEAD says what GET would, without a body.
  if (method === 'HEAD') return text === '' ? faults : [...faults, 'it has a body'];
  if (response.content === undefined) return text === '' ? faults : [...faults, 'it has a body that is not documented'];
  // A reply to HEAD has headers that describe a body, and no body.
  if (method === 'HEAD') return text === '' ? faults : [...faults, 'it has a body'];
  const type = String(headers['content-type'] ?? '').split(';')[0] ?? '';
  // A file has a content type of its own.
  if (status < 400 && route.reply !== null && 'contentType' in route.reply) return faults;
  if (!(type in response.content)) return [...faults, `the content type ${type} is not documented`];
  const body: unknown = answer.json();
  const place = ['paths', path, method.toLowerCase(), 'responses', String(status)];
  const inPlace = ajv.getSchema(`openapi#/${[...place, 'content', type, 'schema'].map(escaped).join('/')}`);
  const validate = inPlace ?? ajv.getSchema(`openapi#/components/schemas/Problem`);
  if (validate === undefined) return [...faults, 'the document has no schema for it'];
  if (!validate(body)) faults.push(`against the OpenAPI document: ${ajv.errorsText(validate.errors)}`);
  const parsed = (status < 400 ? (route.reply as z.ZodType) : Problem).safeParse(body);
  if (!parsed.success) faults.push(`against zod: ${parsed.error.message}`);
  return faults;
}

/** A segment of a JSON Pointer within the fragment of an address. */
function escaped(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'));
}
