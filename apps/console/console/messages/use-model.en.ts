import { params } from '@nanostores/i18n';
import { i18n } from './i18n.js';

/** Of the dialog in which a job is started with a model. */
export const useModelText = i18n('useModel', {
  use: 'Use it in a job …',
  title: params('A job that looks with {name}'),
  module: 'As',
  source: 'Source',
  sourceHint: 'Address or path of a film or a picture, such as storage://…, https://… or a file below a local root.',
  orFile: 'Or a file of this computer',
  submit: 'Start the job',
  sending: params('{part} sent'),
});
