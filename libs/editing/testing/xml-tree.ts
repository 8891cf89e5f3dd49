import { SaxesParser } from 'saxes';

export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: XmlElement[];
  text: string;
}

/** A well-formed document as a tree; throws for any other. */
export function xmlTree(text: string): XmlElement {
  const top: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [top];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (piece) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += piece;
  });
  parser.on('closetag', () => void open.pop());
  parser.write(text).close();
  const [root] = top.children;
  if (root === undefined) throw new Error('There is no element.');
  return root;
}

/** The element at a path of names below; throws when there is none. */
export function at(element: XmlElement, ...path: string[]): XmlElement {
  return path.reduce((within, name) => {
    const found = within.children.find((child) => child.name === name);
    if (found === undefined) throw new Error(`${within.name} has no ${name}.`);
    return found;
  }, element);
}

/** Elements of a name, however deep. */
export function all(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...all(child, name)]);
}
