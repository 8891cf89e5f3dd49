// JSON schemas for `kubeconform -strict`, without internet: of Kubernetes' own kinds from the OpenAPI document in its Go
// module, of others' from their custom resource definitions, which come in Go modules too.
import { existsSync, readFileSync, readdirSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { downloadGoModule } from '../servers/go.mjs';
import { folderOf, installOnce } from '../servers/installing.mjs';
import { SetupError, Step } from '../setup/step.mjs';
import { kubernetesCache, moduleOf } from './programs.mjs';

/** Folder of schemas by the module that carries them: the oldest Kubernetes that the chart promises, ours, the newest. */
const KUBERNETES = {
  'v1.31': { module: 'k8s.io/kubernetes@v1.31.14', sum: 'h1:UtjLfqvXLuSVDdJ4+NpQCIfFkKkLnAAVmxAEMsnkhjk=' },
  'v1.34': moduleOf('k8s.io/kubernetes'),
  'v1.37': { module: 'k8s.io/kubernetes@v1.37.2', sum: 'h1:A2VDEiObzkYqFTKhSsn0ZEb0RlLEXpHWj93gi2HqEwE=' },
};
/** Paths of the definitions of custom resources in these modules. */
const CRDS = [
  {
    module: 'github.com/kedacore/keda/v2@v2.20.2',
    sum: 'h1:SR60v8uIcelbveS8n/1jcl8tLdBBIbHMxmdOHw8tKqA=',
    folder: 'config/crd/bases',
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    sum: 'h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=',
    folder: 'example/prometheus-operator-crd',
  },
  {
    module: 'sigs.k8s.io/gateway-api@v1.4.0',
    sum: 'h1:ZwlNM6zOHq0h3WUX2gfByPs2yAEsy/EenYJB78jpQfQ=',
    folder: 'config/crd/standard',
  },
];
const FOLDER = folderOf('schemas', [import.meta.filename], KUBERNETES, CRDS);

/** The Kubernetes versions that there are schemas of, as `v1.34`. */
export const versions = Object.keys(KUBERNETES);

let made;

/**
 * A folder with schemas in `v1.31/`, `v1.34/`, `v1.37/` and `crds/`, and the definitions themselves in `definitions/`.
 * Made once; throws a SetupError with what to do.
 */
export function schemaFolder(step = new Step({ live: false })) {
  made ??= make(step);
  return made;
}

/** kubeconform's arguments for one Kubernetes version. @returns {Promise<string[]>} */
export async function schemaArguments(version) {
  if (!versions.includes(version))
    throw new SetupError(`No schemas of "${version}": there are ${versions.join(', ')}.`);
  const folder = await schemaFolder();
  return [version, 'crds'].flatMap((name) => [
    '-schema-location',
    join(folder, name, '{{.ResourceKind}}{{.KindSuffix}}.json'),
  ]);
}

async function make(step) {
  if (existsSync(join(kubernetesCache, FOLDER))) return join(kubernetesCache, FOLDER);
  step.begin('Fetching the schemas of Kubernetes');
  try {
    return await installOnce(
      FOLDER,
      async (folder) => {
        for (const [version, { module, sum }] of Object.entries(KUBERNETES)) {
          const source = await downloadGoModule(step, module, sum);
          writeKubernetes(join(source, 'api/openapi-spec/swagger.json'), join(folder, version));
        }
        for (const { module, sum, folder: where } of CRDS) {
          const source = join(await downloadGoModule(step, module, sum), where);
          for (const file of readdirSync(source)) writeDefinitions(join(source, file), folder);
        }
      },
      kubernetesCache,
    );
  } finally {
    step.end();
  }
}

function writeKubernetes(file, folder) {
  const { definitions } = JSON.parse(readFileSync(file, 'utf8'));
  for (const [name, definition] of Object.entries(definitions)) {
    const kinds = definition['x-kubernetes-group-version-kind'] ?? [];
    // Kinds of many groups, such as DeleteOptions, are not part of a chart.
    if (kinds.length !== 1) continue;
    const schema = strict(definition, definitions, [name]);
    schema.required = [...new Set([...(schema.required ?? []), 'apiVersion', 'kind'])];
    write(folder, kinds[0], schema);
  }
}

function writeDefinitions(file, folder) {
  if (!file.endsWith('.yaml')) return;
  const text = readFileSync(file, 'utf8');
  for (const document of loadAll(text)) {
    if (document?.kind !== 'CustomResourceDefinition') continue;
    const { group, names, versions: served } = document.spec;
    for (const { name, schema } of served) {
      const made = strict(schema.openAPIV3Schema, {});
      made.properties = { ...made.properties, metadata: { type: 'object' } };
      write(join(folder, 'crds'), { group, kind: names.kind, version: name }, made);
    }
    mkdirSync(join(folder, 'definitions'), { recursive: true });
    writeFileSync(join(folder, 'definitions', `${document.metadata.name}.json`), JSON.stringify(document));
  }
}

/** By kubeconform's name for it: of the group only what is before its first dot. */
function write(folder, { group, kind, version }, schema) {
  mkdirSync(folder, { recursive: true });
  const name = [kind, group.split('.')[0], version].filter(Boolean).join('-').toLowerCase();
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(schema));
}

/** The schema with its references filled in, where null stands for absent and no other property than those named. */
function strict(node, definitions, within = []) {
  if (Array.isArray(node)) return node.map((item) => strict(item, definitions, within));
  if (node === null || typeof node !== 'object') return node;
  if (node.$ref !== undefined) {
    const name = node.$ref.replace('#/definitions/', '');
    if (name.endsWith('.IntOrString')) return { type: ['string', 'integer', 'null'] };
    if (name.endsWith('.Quantity')) return { type: ['string', 'number', 'null'] };
    // A schema of schemas contains itself.
    return within.includes(name) ? {} : strict(definitions[name], definitions, [...within, name]);
  }
  if (node['x-kubernetes-int-or-string']) return { type: ['string', 'integer', 'null'] };
  const schema = {};
  for (const [key, value] of Object.entries(node)) {
    if (['description', 'default', 'format'].includes(key) || key.startsWith('x-kubernetes')) continue;
    if (key === 'properties') {
      schema.properties = Object.fromEntries(
        Object.entries(value).map(([name, property]) => [name, strict(property, definitions, within)]),
      );
    } else
      schema[key] = key === 'type' && typeof value === 'string' ? [value, 'null'] : strict(value, definitions, within);
  }
  const open = 'additionalProperties' in schema || node['x-kubernetes-preserve-unknown-fields'];
  if (schema.properties !== undefined && !open) schema.additionalProperties = false;
  return schema;
}
