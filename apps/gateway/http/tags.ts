/** Subjects of the operations, in the order of the document. */
export const TAGS = {
  Operations: 'Health and metrics, for what runs and watches the service. No key is needed.',
  Jobs: 'Media and questions in, state and progress out: post, follow, stop, retry and delete jobs.',
  Results: 'What a job found: segments, sums over a source, and files such as `results.json` and `report.html`.',
  Streams: 'How live streams do: what is read, how late it is, what is missing, and the newest picture.',
  Search: 'Moments of all jobs, found by who and what is seen, what is said and written, and where.',
  Storage: 'Files to be mined, in folders; uploaded in one piece or resumably by tus 1.0.0.',
  'Storage credentials':
    'What opens buckets of S3 stores, so that jobs read `s3://bucket/key`. For keys with the role admin.',
  Dictionaries: 'Lists and maps of labels, by which jobs filter, rename and merge what they find.',
  Modules: 'The questions a job can ask, with their arguments.',
  Models: 'What modules recognise with: galleries of people, landmarks, kinds of things.',
  Datasets: 'Classes of images that models are trained with.',
  Faces: 'Faces of one picture, answered at once: found, compared, searched for. No job is made.',
  'Face indexes': 'Unknown faces that jobs keep and recognise again: name them once, merge them, take them out.',
  Erasures: 'People and files taken out of everything that is kept of them, with a receipt.',
  Retention: 'How long what is kept, what goes next, and what a legal hold keeps.',
  Transcripts: 'What was said, by paragraphs: variants in languages, every edit a version.',
  Trainings: 'Datasets made into versions of models.',
  Workspaces: 'What belongs together and to nobody else. For keys with the role owner, the installation’s first.',
  Health: 'What runs and what lags, and what to do. For keys with the role admin.',
  Usage: 'What analyses took, by workspace, day, module and key.',
  'API keys': 'Who may use the API, as what, and how often. For keys with the role admin.',
  'Access keys': 'Keys that let a third party sign tokens for its end users.',
  Members:
    'People who sign in to the console by the provider of the installation. For keys and members with the role admin.',
  'Audit log': 'Who changed what. For keys with the role admin.',
  Webhooks: 'Being told by HTTP POST of what happens, signed and tried again.',
  'Sent events': 'What is sent to the addresses of webhooks and jobs, by the event: the `webhooks` of this document.',
  Batches: 'Groups of jobs in a tree.',
  Reports: 'What the jobs of a batch found, summed up.',
  Exports: 'Files made of what is stored.',
} as const satisfies Record<string, string>;

export type Tag = keyof typeof TAGS;
