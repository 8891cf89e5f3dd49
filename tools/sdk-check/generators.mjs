// The generators, fetched from their registries into the cache once, and what they say of every document.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory, repositoryRoot } from '../setup/places.mjs';
import { SetupError } from '../setup/step.mjs';
import { execute } from '../setup/execute.mjs';

const OPENAPI_PYTHON_CLIENT = '0.29.1';
// 7.17 forgets an import in Go for lists of files.
const OPENAPI_GENERATOR = '7.25.0';
const GET = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';

export const document = join(repositoryRoot, 'docs/api/openapi.json');
const cache = join(cacheDirectory, 'sdk-check');

/** A virtual environment with openapi-python-client; answers the folder of its programs. */
export async function pythonPrograms() {
  const folder = join(cache, `openapi-python-client-${OPENAPI_PYTHON_CLIENT}`);
  const done = join(folder, 'complete');
  if (!existsSync(done)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(cache, { recursive: true });
    await execute('python3', ['-m', 'venv', folder]);
    // ruff formats what was generated; the others are what openapi-generator's clients stand on.
    const packages = [
      `openapi-python-client==${OPENAPI_PYTHON_CLIENT}`,
      'ruff',
      'urllib3',
      'python-dateutil',
      'pydantic',
      'typing-extensions',
    ];
    await execute(join(folder, 'bin/pip'), ['install', '--quiet', ...packages]);
    mkdirSync(done);
  }
  return join(folder, 'bin');
}

/** It makes calls of what is sent to receivers, and in Python such as have no types and do not compile. */
const WITHOUT_WEBHOOKS = ['--global-property', 'apis,models,supportingFiles'];

/** Generates with openapi-generator; throws a SetupError for a warning that it does not give to every document. */
export async function openapiGenerator(generator, folder, options = []) {
  const name = `openapi-generator-cli-${OPENAPI_GENERATOR}.jar`;
  const jar = join(cache, name);
  if (!existsSync(jar)) {
    const partial = join(cache, 'partial');
    rmSync(partial, { recursive: true, force: true });
    const artifact = `org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`;
    await execute('mvn', ['-B', '-q', `${GET}:get`, `-Dartifact=${artifact}`, '-Dtransitive=false']);
    await execute('mvn', ['-B', '-q', `${GET}:copy`, `-Dartifact=${artifact}`, `-DoutputDirectory=${partial}`]);
    renameSync(join(partial, name), jar);
  }
  const args = ['generate', '-i', document, '-g', generator, '-o', folder, ...WITHOUT_WEBHOOKS, ...options];
  noWarnings(await execute('java', ['-jar', jar, ...args]), /^\[main\] (WARN|ERROR)/);
}

/** Warnings that generators always print, each with its cause. */
const EXPECTED = [
  // The document is OpenAPI 3.1.
  'OPENAPI 3.1 support is still in beta',
  // Replies that are not JSON, such as /metrics.
  'Response examples can currently only be generated for application/json',
  // Lists of files, such as the `files` of a batch.
  'Could not compute datatypeWithEnum',
  // Free-form objects, such as the `meta` of a result.
  'Failed to get the schema name: null',
  // Examples of bodies, in Java.
  'Ignoring complex example on request body',
  // The filter `type`, a word of the API.
  'type (reserved word) cannot be used as',
  // The parameter `from` of the differences between two versions; no model is made for it.
  'From (reserved word) cannot be used as model name',
].map((text) => text.toLowerCase());

/** Throws a SetupError with the lines of `printed` that warn of something else than what is expected. */
export function noWarnings(printed, isWarning) {
  const warnings = printed
    .split('\n')
    .filter((line) => isWarning.test(line) && !EXPECTED.some((text) => line.toLowerCase().includes(text)));
  if (warnings.length > 0) throw new SetupError(`The generator warns:\n${[...new Set(warnings)].join('\n')}`);
}
