/** One block of a stream of server-sent events; what it does not say is undefined. */
export interface EventBlock {
  id?: string;
  event?: string;
  /** Its lines, joined by line breaks. */
  data?: string;
  retry?: string;
}

const LINE_END = /\r\n|\r|\n/;
/** `s`: the separators of lines of Unicode end none here. */
const FIELD = /^(id|event|data|retry)(?:: ?|$)(.*)$/s;

/** The blocks of an answer as they come, those that are whole: see "Server-sent events" of the HTML standard. */
export async function* eventBlocks(answer: ReadableStream<Uint8Array>): AsyncGenerator<EventBlock> {
  const reader = answer.getReader();
  const decoder = new TextDecoder();
  try {
    let rest = '';
    let block: EventBlock = {};
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      // A carriage return that ends a piece may be the first half of a line's end.
      const text = rest + decoder.decode(value, { stream: true });
      const held = text.endsWith('\r') ? 1 : 0;
      const lines = text.slice(0, text.length - held).split(LINE_END);
      rest = (lines.pop() ?? '') + text.slice(text.length - held);
      for (const line of lines) {
        if (line === '') {
          if (Object.keys(block).length > 0) yield block;
          block = {};
        } else block = { ...block, ...fieldOf(line, block.data) };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function fieldOf(line: string, data: string | undefined): EventBlock {
  const [, name, value = ''] = FIELD.exec(line) ?? [];
  if (name === undefined) return {};
  return { [name]: name === 'data' && data !== undefined ? `${data}\n${value}` : value };
}
