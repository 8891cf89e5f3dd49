export interface StreamEvent {
  id: string;
  event: string;
  data: unknown;
}

/** The events of a text/event-stream reply, until the server ends it; comments are left out. */
export async function* readEvents(reply: Response): AsyncGenerator<StreamEvent> {
  if (reply.status !== 200 || reply.body === null) throw new Error(`${reply.status}: ${await reply.text()}`);
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of reply.body) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = parse(text.slice(0, end));
      text = text.slice(end + 2);
      if (event !== null) yield event;
    }
  }
}

function parse(block: string): StreamEvent | null {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
    }),
  );
  const [id, event, data] = [fields.get('id'), fields.get('event'), fields.get('data')];
  if (id === undefined || event === undefined || data === undefined) return null;
  return { id, event, data: JSON.parse(data) };
}
