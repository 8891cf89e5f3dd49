import { AditError } from '@adit/contracts';
import { z } from 'zod';

const PICTURE = /\.(jpe?g|png|webp|gif|bmp|tiff?|hei[cf]|avif)([?#][^]*)?$/i;
/** Fields of a row that hold an answer directly; others hold data of the task. */
const ANSWERS = new Set([
  'choice',
  'choices',
  'label',
  'labels',
  'class',
  'category',
  'classification',
  'tag',
  'person',
  'name',
]);
const Texts = z.array(z.string());
const Objects = z.array(z.record(z.string(), z.unknown()));

/** Fields of a task, or of a row of its short forms. */
export class LabelStudioRow {
  constructor(private readonly fields: Record<string, unknown>) {}

  /** Returns the name of the picture. Throws MEDIA_INVALID for a task with none or several. */
  picture(): string {
    const named = Object.entries(this.fields).filter(([, value]) => typeof value === 'string' && PICTURE.test(value));
    const plain = named.filter(([key]) => key === 'image');
    const [only, ...others] = plain.length === 1 ? plain : named;
    if (only === undefined || others.length > 0) {
      const count = only === undefined ? 'no picture' : `${others.length + 1} pictures`;
      throw new AditError(
        'MEDIA_INVALID',
        `A task of Label Studio has ${count}: export COCO with its pictures instead.`,
      );
    }
    return String(only[1]);
  }

  /** Returns the answers of a row of JSON-MIN or CSV, which are text, a list, or JSON in a text. */
  labels(): string[] {
    return Object.entries(this.fields).flatMap(([key, value]) => {
      const content = typeof value === 'string' ? parsed(value) : value;
      if (typeof content === 'string') return ANSWERS.has(key) && content !== '' ? [content] : [];
      const regions = Objects.safeParse(Array.isArray(content) ? content : [content]);
      return regions.success ? regions.data.flatMap((region) => this.labelsOf(region)) : [];
    });
  }

  /** Returns the answers in one value: `choices`, or the labels of a box, a polygon, a brush. */
  labelsOf(value: Record<string, unknown>): string[] {
    return Object.entries(value).flatMap(([key, texts]) =>
      key === 'choices' || key.endsWith('labels') ? (Texts.safeParse(texts).data ?? []) : [],
    );
  }
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text.trim();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
