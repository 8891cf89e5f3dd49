import { ClassRequest, storable } from '@adit/contracts';
import { namedClass, PLAIN_IMAGE, type ImportedClass, type Said } from './import-item.js';

const Label = ClassRequest.shape.label.check(storable);

export function unclassed(): Said {
  return { fault: { code: 'no_class', message: 'Its list says no class of it.' } };
}

export function severalClasses(one: string, another: string): Said {
  const both = `${JSON.stringify(one)} and ${JSON.stringify(another)}`;
  const message = `Its list says ${both} of it: an image here shows one class. Cut out a picture of each.`;
  return { fault: { code: 'several_classes', message } };
}

/** Merges two statements about one picture. */
export function saidTwice(before: Said | undefined, said: Said): Said {
  if (before === undefined || ('fault' in before && before.fault.code === 'no_class')) return said;
  if ('fault' in before || 'fault' in said || before.class.label === said.class.label) return before;
  return severalClasses(before.class.label, said.class.label);
}

/** Caches classes of lists that repeat the same names. */
export class Labels {
  private readonly classes = new Map<string, ImportedClass>();

  /** Returns the class of a picture with these labels, of which there may be none. */
  said(labels: Iterable<string>): Said {
    let all: Said = unclassed();
    for (const label of labels) all = saidTwice(all, this.of(label));
    return all;
  }

  private of(text: string): Said {
    const label = text.normalize('NFC').trim();
    const known = this.classes.get(label);
    if (known !== undefined) return { class: known, image: PLAIN_IMAGE };
    const { success, error } = Label.safeParse(label);
    if (!success) {
      const message = `Its class cannot be one: ${error.issues[0]?.message ?? 'it is no name'}.`;
      return { fault: { code: 'no_class', message } };
    }
    const one = namedClass(label);
    this.classes.set(label, one);
    return { class: one, image: PLAIN_IMAGE };
  }
}

/** Collects a list's statements by picture name: a repeated name has the classes of both. */
export class LabelledNames {
  readonly images = new Map<string, Said>();
  private readonly labels = new Labels();

  add(name: string, labels: Iterable<string>): void {
    this.images.set(name, saidTwice(this.images.get(name), this.labels.said(labels)));
  }
}
