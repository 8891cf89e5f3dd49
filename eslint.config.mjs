import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import { defineConfig } from 'eslint/config';
import node from 'eslint-plugin-n';
import ts from 'typescript-eslint';
import manifest from './package.json' with { type: 'json' };
import { noCircles } from './tools/lint/no-circles.mjs';

/** As package.json promises it. */
const OLDEST_NODE = manifest.engines.node;

/** Packages that reach outside the process, and the only places that may: behind a port or a library's own border. */
const drivers = [
  { packages: ['kafkajs'], files: ['libs/bus/kafka*.ts'] },
  {
    packages: ['pg', '@electric-sql/pglite', '@electric-sql/pglite-pgvector'],
    // Tests make databases of their own, tools look into them.
    files: ['libs/database/**', 'libs/testing/fresh-database*.ts', 'tools/**'],
  },
  { packages: ['minio'], files: ['libs/objects/minio*.ts'] },
  { packages: ['onnxruntime-node'], files: ['libs/inference/**', 'models/**', 'tools/**'] },
  { packages: ['sharp', 'fluent-ffmpeg', '@embedpdf/pdfium'], files: ['libs/media/**', 'tools/**'] },
];

/** The restriction for one place: every driver but those that live there. */
function noDrivers(allowed = []) {
  const paths = drivers
    .flatMap((driver) => driver.packages)
    .filter((name) => !allowed.includes(name))
    .map((name) => ({ name, message: 'Only its driver files import this package; use the port.' }));
  const patterns = paths.map(({ name, message }) => ({ group: [`${name}/*`], message }));
  return { '@typescript-eslint/no-restricted-imports': ['error', { paths, patterns }] };
}

/**
 * What stands on what, by the tags of packages. The engine does not know what it is asked (analyses, modules), nor do those
 * know the engine.
 */
const LAYERS = {
  contracts: [],
  ground: ['contracts', 'ground'],
  port: ['contracts', 'ground', 'port'],
  kit: ['contracts', 'ground', 'port', 'kit'],
  extension: ['contracts', 'ground', 'kit', 'extension'],
  engine: ['contracts', 'ground', 'port', 'kit', 'engine'],
  client: ['contracts', 'ground'],
  // Pages: they know the API and nothing else.
  console: ['client'],
  app: ['contracts', 'ground', 'port', 'kit', 'extension', 'engine', 'client'],
  // Apps made of others.
  composition: ['contracts', 'ground', 'port', 'kit', 'extension', 'engine', 'client', 'app', 'composition'],
};

function layers(allowed) {
  return Object.entries(allowed).map(([layer, below]) => ({
    sourceTag: `type:${layer}`,
    onlyDependOnLibsWithTags: below.map((each) => `type:${each}`),
  }));
}

/** Globals of Node or of a browser, which plain scripts use. */
function readonly(names) {
  return Object.fromEntries(names.split(' ').map((name) => [name, 'readonly']));
}

/** Files that more than one driver entry names keep all of their packages. */
const places = [...new Set(drivers.flatMap((driver) => driver.files))].map((place) => ({
  files: [place],
  rules: noDrivers(drivers.filter((driver) => driver.files.includes(place)).flatMap((driver) => driver.packages)),
}));

export default defineConfig(
  {
    ignores: ['**/dist/**', '**/node_modules/**', '.nx/**', '.adit/**', '**/adit-results/**', 'out/**', 'coverage/**'],
  },
  js.configs.recommended,
  { plugins: { '@typescript-eslint': ts.plugin } },
  // The types are those of a newer Node than the oldest that has to do.
  {
    ignores: ['libs/report/client/**', 'apps/console/**'],
    plugins: { n: node },
    rules: {
      'n/no-unsupported-features/es-builtins': ['error', { version: OLDEST_NODE }],
      'n/no-unsupported-features/node-builtins': ['error', { version: OLDEST_NODE, allowExperimental: true }],
    },
  },
  {
    plugins: { adit: { rules: { 'no-circles': noCircles() } } },
    rules: { 'adit/no-circles': 'error' },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [ts.configs.recommended],
    rules: {
      ...noDrivers(),
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // What is there is said by types, or checked where it is read (`elementAt`, `zip`); the rest gives its reason.
      '@typescript-eslint/no-non-null-assertion': 'error',
      // Nest modules and markers are classes without members.
      '@typescript-eslint/no-extraneous-class': 'off',
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './apps/console/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-unnecessary-condition': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    // What `beforeAll` makes is missing in `afterAll` when it failed, which its type does not say.
    files: ['**/*.spec.ts', '**/conformance.ts', '**/{contract,e2e,testing}/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  // Weights are named by a hash of what converts them: these files are not touched for their looks.
  { files: ['models/convert/**/*.ts'], rules: { '@typescript-eslint/no-non-null-assertion': 'off' } },
  ...places,
  {
    files: ['apps/**/*.{ts,tsx}', 'libs/**/*.ts', 'models/**/*.ts'],
    // Tests use whatever makes them real.
    ignores: ['**/*.spec.ts', '**/{contract,e2e,testing}/**'],
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        {
          enforceBuildableLibDependency: false,
          allow: [],
          // The command line loads the engine where a command needs one.
          checkDynamicDependenciesExceptions: ['@adit/standalone'],
          depConstraints: layers(LAYERS),
        },
      ],
    },
  },
  // What an app loads is in its image, which has no packages that are for development alone.
  {
    files: ['apps/**/*.{ts,tsx}', 'libs/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/conformance.ts', '**/{contract,e2e,testing}/**', 'apps/console/**'],
    rules: {
      'n/no-unpublished-import': ['error', { ignorePrivate: false, ignoreTypeImport: true }],
      'n/no-extraneous-import': 'error',
    },
  },
  // Libraries speak through errors and the logger they are given.
  // Their command-line helpers are programs.
  { files: ['libs/**/*.ts'], ignores: ['libs/**/generate-*.ts'], rules: { 'no-console': 'error' } },
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: {
      globals: readonly(
        'AbortController AbortSignal Blob Buffer FormData Response TextDecoder TextEncoder URL clearInterval clearTimeout console fetch performance process setImmediate setInterval setTimeout structuredClone',
      ),
    },
  },
  {
    // What jest asks for by require.
    files: ['**/*.cjs'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: readonly('__dirname __filename globalThis module process require'),
    },
  },
  {
    files: ['libs/report/client/*.js'],
    languageOptions: {
      globals: readonly('IntersectionObserver ResizeObserver atob document matchMedia requestAnimationFrame'),
    },
  },
);
