import type { ModelForm } from '@adit/client';

/** What a file may leave open, in the order in which it is asked for. */
export const ANSWERS = [
  'labels',
  'family',
  'decoding',
  'size',
  'colour',
  'mean',
  'std',
  'resize',
  'filter',
  'pad',
  'shorter_side',
  'logit_scale',
  'logit_bias',
  'max_distance',
  'text_length',
  'start_token',
  'end_token',
  'template',
  'licence',
  'origin',
  'description',
] as const satisfies readonly (keyof ModelForm)[];
export type Answer = (typeof ANSWERS)[number];

/** Answers of which there are few. */
export const CHOICES: Partial<Record<Answer, readonly string[]>> = {
  colour: ['rgb', 'bgr'],
  resize: ['letterbox', 'stretch'],
  filter: ['nearest', 'bilinear', 'antialiased', 'bicubic'],
};

/** A question that the service has about a file. */
export interface Question {
  answer: Answer;
  /** In the service's words. */
  message: string;
}

/** What is asked for, by what the service says is missing or wrong; empty where it says something else. */
export function questionsIn(errors: readonly { pointer: string; message: string }[]): Question[] {
  return errors.flatMap(({ pointer, message }) => {
    const answer = ANSWERS.find((each) => pointer === `/${each}`);
    return answer === undefined ? [] : [{ answer, message }];
  });
}

/** A name for a file: `Best Helmets v2.onnx` is `best-helmets-v2`. */
export function nameFor(filename: string): string {
  return filename
    .replace(/\.(onnx|zip|tar|tar\.gz|tgz)$/i, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60);
}
