// Values that the chart is tried with. Nobody asks the servers that they name.

/** Required values of an installation: addresses of the servers, and their secrets. */
export const external = {
  kafka: { brokers: ['kafka.example.org:9092'] },
  database: { existingSecret: 'database' },
  objects: { endpoint: 'https://objects.example.org', existingSecret: 'objects' },
};

/** Everything that can be switched on, with GPUs for two families. */
export const everything = {
  ...external,
  api: { existingSecret: 'api', publicUrl: 'https://adit.example.org' },
  inference: { gpu: { families: ['face', 'object'], replicas: 2, autoscaling: { enabled: true, minReplicas: 1 } } },
  services: Object.fromEntries(
    ['gateway', 'decoder', 'recorder', 'inference-text'].map((name) => [name, { autoscaling: { enabled: true } }]),
  ),
  models: { pull: ['whisper-base'], index: 'https://mirror.example.org/simple/' },
  priorityClasses: { create: true },
  ingress: { enabled: true, host: 'adit.example.org' },
  httpRoute: { enabled: true, parentRefs: [{ name: 'edge' }], hostnames: ['adit.example.org'] },
  monitoring: { serviceMonitor: { enabled: true }, rules: { enabled: true }, dashboard: { enabled: true } },
  backup: { enabled: true, target: { endpoint: 'https://backup.example.org', existingSecret: 'backup' } },
};

/** The secrets that these values name. */
export const secrets = {
  database: { url: 'postgresql://adit:secret@database.example.org:5432/adit' },
  objects: { 'access-key': 'adit', 'secret-key': 'secret' },
  api: { 'api-key': 'adit-test-key' },
  backup: { 'access-key': 'adit', 'secret-key': 'secret' },
};

export const secretDocuments = (namespace, given = secrets) =>
  Object.entries(given).map(([name, stringData]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    stringData,
  }));
