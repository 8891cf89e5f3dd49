import { SaxesParser } from 'saxes';
import { ShortSteps } from './segments/short-steps.js';

export interface XmlElement {
  /** Without its prefix. */
  name: string;
  attributes: Record<string, string>;
  children: XmlElement[];
  text: string;
}

const MAX_ELEMENTS = 100_000;
const MAX_DEPTH = 32;
const MAX_ATTRIBUTES = 64;
/** Characters that take some milliseconds at most. */
const PIECE = 32 << 10;

/**
 * Reads a document as a tree, in short steps. Throws what `malformed` makes of the reason for one that is not well-formed,
 * that has a document type (and with it entities of its own), or that is too deep or too large.
 */
export async function readXml(text: string, malformed: (reason: string) => Error): Promise<XmlElement> {
  const top: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [top];
  let elements = 0;
  let attributes = 0;
  const parser = new SaxesParser();
  parser.on('error', ({ message }) => {
    throw malformed(`it is no well-formed XML (${message.slice(0, 100)})`);
  });
  parser.on('doctype', () => {
    throw malformed('it has a document type (DOCTYPE), which is not read');
  });
  parser.on('attribute', () => {
    if (++attributes > MAX_ATTRIBUTES) throw malformed(`an element has more than ${MAX_ATTRIBUTES} attributes`);
  });
  parser.on('opentagstart', () => {
    attributes = 0;
    if (++elements > MAX_ELEMENTS) throw malformed(`it has more than ${MAX_ELEMENTS} elements`);
    if (open.length > MAX_DEPTH) throw malformed(`its elements are more than ${MAX_DEPTH} deep`);
  });
  parser.on('opentag', ({ name, attributes: own }) => {
    const element = { name: localName(name), attributes: own, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (piece) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += piece;
  });
  parser.on('closetag', () => void open.pop());
  const steps = new ShortSteps();
  for (let from = 0; from < text.length; from += PIECE) {
    if (steps.isLong) await steps.rest();
    parser.write(text.slice(from, from + PIECE));
  }
  parser.close();
  const [root] = top.children;
  if (root === undefined) throw malformed('it is empty');
  return root;
}

export function childrenOf({ children }: XmlElement, name: string): XmlElement[] {
  return children.filter((child) => child.name === name);
}

export function childOf({ children }: XmlElement, name: string): XmlElement | undefined {
  return children.find((child) => child.name === name);
}

export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
