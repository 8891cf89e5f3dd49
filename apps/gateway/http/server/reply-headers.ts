type Json = Record<string, unknown>;

const text = (description: string): Json => ({ description, schema: { type: 'string' } });
const count = (description: string): Json => ({
  description,
  schema: { type: 'integer', format: 'int64', minimum: 0 },
});

/** Every header that a reply may carry beyond those of HTTP itself, by its name. */
export const REPLY_HEADERS = {
  'X-Request-Id': text('Names this request in the log; the one that the client sent, when it sent one.'),
  ETag: text('The version of what was sent; give it back in If-None-Match to be answered 304 while it is the same.'),
  Location: text('Where the bytes of the upload go.'),
  'Retry-After': count('Seconds to wait before the request is sent again.'),
  'WWW-Authenticate': text('How to authenticate.'),
  'Idempotency-Replayed': text(
    '`true` when an earlier request with the same Idempotency-Key did this: it was not done again.',
  ),
  'Preference-Applied': text('The preference that was honoured, e.g. `wait=30`.'),
  'RateLimit-Limit': count('What the key may send in a window; only where it has a limit, as with the two below.'),
  'RateLimit-Remaining': count('What is left of it.'),
  'RateLimit-Reset': count('Seconds until all of it is there again.'),
  'Content-Disposition': text('Whether the file is to be shown or kept, and its name.'),
  'Accept-Ranges': text('`bytes`: parts may be asked for with Range.'),
  'Content-Range': text('Which bytes these are, of how many.'),
  'Tus-Resumable': text('The version of tus that this reply speaks.'),
  'Tus-Version': text('Versions of tus that are spoken.'),
  'Tus-Extension': text('Extensions of tus that are spoken.'),
  'Tus-Max-Size': count('Bytes of the largest file.'),
  'Upload-Offset': count('Bytes that have arrived; the next ones go on from here.'),
  'Upload-Length': count('Bytes of the whole file.'),
  'Upload-Metadata': text('Pairs of a key and a value in base64, joined by commas.'),
  'Upload-Expires': text('Until when an unfinished upload is kept.'),
} as const satisfies Record<string, Json>;

export type ReplyHeader = keyof typeof REPLY_HEADERS;

const LIMITS: ReplyHeader[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** The headers of one reply, by reference; every reply has `X-Request-Id`. */
export function headersOf(names: readonly ReplyHeader[], limited: boolean): Json {
  const all: ReplyHeader[] = ['X-Request-Id', ...(limited ? LIMITS : []), ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
