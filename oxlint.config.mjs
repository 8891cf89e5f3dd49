import manifest from './package.json' with { type: 'json' };

/** As package.json promises it. */
const OLDEST_NODE = manifest.engines.node;

/** Packages that reach outside the process, and the only places that may: behind a port or a library's own border. */
const drivers = [
  { packages: ['kafkajs'], files: ['libs/bus/kafka*.ts', 'libs/bus/testing/kafka*.ts'] },
  {
    packages: ['pg', '@electric-sql/pglite', '@electric-sql/pglite-pgvector'],
    // Tests make databases of their own, tools look into them.
    files: ['libs/database/**/*.{ts,tsx}', 'libs/testing/fresh-database*.ts', 'tools/**/*.{ts,tsx}'],
  },
  { packages: ['minio'], files: ['libs/objects/minio/*.ts'] },
  {
    packages: ['onnxruntime-node'],
    files: ['libs/inference/**/*.{ts,tsx}', 'models/**/*.{ts,tsx}', 'tools/**/*.{ts,tsx}'],
  },
  {
    packages: ['sharp', '@embedpdf/pdfium'],
    files: ['libs/media/**/*.{ts,tsx}', 'tools/**/*.{ts,tsx}'],
  },
  // It finds no filter in the list of ffmpeg 9, and says nothing: one file knows it, and does not ask.
  { packages: ['fluent-ffmpeg'], files: ['libs/media/ffmpeg/ffmpeg-run.ts'] },
];

/** The restriction for one place: every driver but those that live there. */
function noDrivers(allowed = []) {
  const paths = drivers
    .flatMap((driver) => driver.packages)
    .filter((name) => !allowed.includes(name))
    .map((name) => ({ name, message: 'Only its driver files import this package; use the port.' }));
  const patterns = paths.map(({ name, message }) => ({ group: [`${name}/*`], message }));
  return { 'no-restricted-imports': ['error', { paths, patterns }] };
}

/** Files that more than one driver entry names keep all of their packages. */
const places = [...new Set(drivers.flatMap((driver) => driver.files))].map((place) => ({
  files: [place],
  rules: noDrivers(drivers.filter((driver) => driver.files.includes(place)).flatMap((driver) => driver.packages)),
}));

/**
 * Layers: the tags of packages that a package with a given tag may import. The engine does not import analyses and modules, nor do
 * those import the engine.
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

const depConstraints = Object.entries(LAYERS).map(([layer, below]) => ({
  sourceTag: `type:${layer}`,
  onlyDependOnLibsWithTags: below.map((each) => `type:${each}`),
}));

/** Tests, and what they stand on, use whatever makes them real. */
const TESTS = ['**/*.spec.ts', '**/{contract,e2e,testing}/**'];

/** Globals of a browser, which plain scripts of pages use. */
const PAGES = 'IntersectionObserver ResizeObserver atob document matchMedia requestAnimationFrame';

export default {
  plugins: ['eslint', 'typescript', 'oxc'],
  jsPlugins: [
    'eslint-plugin-n',
    // The plugin's own name is that of a package.
    { name: 'nx', specifier: '@nx/eslint-plugin' },
    { name: 'adit', specifier: './tools/lint/plugin.mjs' },
  ],
  ignorePatterns: [
    '**/dist/**',
    '**/node_modules/**',
    '.nx/**',
    '.adit/**',
    '**/adit-results/**',
    'out/**',
    'coverage/**',
  ],
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  env: { builtin: true, node: true },
  categories: { correctness: 'error' },
  rules: {
    // Matters of taste among those.
    'typescript/await-thenable': 'off',
    'typescript/no-base-to-string': 'off',
    'typescript/no-meaningless-void-operator': 'off',
    'typescript/no-misused-spread': 'off',
    'typescript/no-redundant-type-constituents': 'off',
    'typescript/no-useless-default-assignment': 'off',
    'typescript/require-array-sort-compare': 'off',
    'typescript/restrict-template-expressions': 'off',
    'typescript/unbound-method': 'off',
    'no-case-declarations': 'error',
    'no-empty': 'error',
    'no-fallthrough': 'error',
    'no-prototype-builtins': 'error',
    'no-redeclare': 'error',
    'no-undef': 'error',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
    'adit/no-circles': 'error',
    'adit/no-folder-circles': 'error',
  },
  overrides: [
    {
      // The types are those of a newer Node than the oldest that has to do.
      files: ['**/*.{ts,js,mjs,cjs}'],
      excludeFiles: ['libs/report/client/**', 'apps/console/**'],
      rules: {
        'n/no-unsupported-features/es-builtins': ['error', { version: OLDEST_NODE }],
        'n/no-unsupported-features/node-builtins': ['error', { version: OLDEST_NODE, allowExperimental: true }],
      },
    },
    {
      // Rules that need types look at files that have them.
      files: ['**/*.{js,mjs,cjs}'],
      rules: {
        'typescript/no-floating-promises': 'off',
      },
    },
    {
      files: ['**/*.{ts,tsx}'],
      rules: {
        ...noDrivers(),
        // The compiler's; a type and a value may share a name.
        'no-redeclare': 'off',
        'no-undef': 'off',
        'typescript/ban-ts-comment': 'error',
        'typescript/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
        'typescript/no-empty-object-type': 'error',
        'typescript/no-explicit-any': 'error',
        'typescript/no-namespace': 'error',
        'typescript/no-require-imports': 'error',
        'typescript/no-unsafe-function-type': 'error',
        // Types say what is defined, or code checks it where it reads (`elementAt`, `zip`). An exception gives its reason.
        'typescript/no-non-null-assertion': 'error',
        'typescript/no-floating-promises': 'error',
        'typescript/no-misused-promises': 'error',
        'typescript/no-unnecessary-condition': 'error',
        'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      },
    },
    {
      // Variables that `beforeAll` sets are undefined in `afterAll` when it failed, which their types do not say.
      files: ['**/*.spec.ts', '**/*.check.ts', '**/conformance.ts', '**/{contract,e2e,testing}/**/*.ts'],
      rules: { 'typescript/no-unnecessary-condition': 'off', 'typescript/no-non-null-assertion': 'off' },
    },
    // A hash of these files names the converted weights, so their style is left alone.
    { files: ['models/convert/**/*.ts'], rules: { 'typescript/no-non-null-assertion': 'off' } },
    ...places,
    {
      files: ['apps/**/*.{ts,tsx}', 'libs/**/*.ts', 'models/**/*.ts'],
      excludeFiles: TESTS,
      rules: {
        'nx/enforce-module-boundaries': [
          'error',
          {
            enforceBuildableLibDependency: false,
            allow: [],
            // The command line loads the engine where a command needs one.
            checkDynamicDependenciesExceptions: ['@adit/standalone'],
            depConstraints,
          },
        ],
      },
    },
    {
      // Where results are made, kept and shown: an error that is answered with nothing takes something out of them for good.
      files: [
        'apps/{aggregator,decoder,gateway,inference-*,notifier,recorder}/**/*.ts',
        'libs/{analyses,artifacts,datasets,dictionaries,idempotency,indexes,inference-service,jobs,media,model-store,module-kit,modules}/**/*.ts',
        'libs/{object-removals,objects,online-inference,presentation,report,storage,transcript-store,transcripts,webhooks}/**/*.ts',
      ],
      excludeFiles: [...TESTS, '**/*.check.ts', '**/conformance.ts'],
      rules: { 'adit/no-lost-errors': 'error' },
    },
    {
      // Images of apps have no development dependencies.
      files: ['apps/**/*.{ts,tsx}', 'libs/**/*.ts'],
      excludeFiles: [...TESTS, '**/*.check.ts', '**/conformance.ts', 'apps/console/**'],
      rules: {
        'n/no-unpublished-import': ['error', { ignorePrivate: false, ignoreTypeImport: true }],
        'n/no-extraneous-import': 'error',
      },
    },
    // Libraries speak through errors and the logger they are given. Their command-line helpers are programs.
    { files: ['libs/**/*.ts'], excludeFiles: ['libs/**/generate-*.ts'], rules: { 'no-console': 'error' } },
    {
      files: ['libs/report/client/*.js'],
      globals: Object.fromEntries(PAGES.split(' ').map((name) => [name, 'readonly'])),
    },
  ],
};
