export { evaluate, type Evaluating, type Predicted, type Unreadable } from './evaluate.js';
export type { Evaluation } from './evaluation.js';
export { evaluationPage } from './evaluation-page.js';
export { readLabelledFolder } from './labelled-folder.js';
export { checkSet, MAX_PICTURES, type LabelledPicture, type LabelledSet } from './labelled-set.js';
export { shownFigures, shownLabels } from './shown-figures.js';
