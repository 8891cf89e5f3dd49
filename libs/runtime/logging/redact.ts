/**
 * Field names whose values never reach a log. A bare `key` is not one of them: object keys and partition keys are what
 * one looks for in a log; keys that open something are `apiKey`, `secretKey`, `private_key`…
 */
const SECRET_FIELD =
  /^(authorization|proxy-authorization|cookie|set-cookie|jwt|credentials?|.*(secret|password|passphrase).*|.*token|.*(api|access|private|signing)[-_]?key)$/i;
const MAX_DEPTH = 6;

/** Tells whether a field of this name holds a secret. */
export function isSecretField(name: string): boolean {
  return SECRET_FIELD.test(name);
}

/** A copy of `fields` in which the values of secret fields, at any depth, read `[redacted]`. */
export function redact(fields: Record<string, unknown>): Record<string, unknown> {
  return redactMembers(fields, 0);
}

function redactMembers(fields: Record<string, unknown>, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isSecretField(name) && value !== undefined && value !== null ? '[redacted]' : redactValue(value, depth + 1),
    ]),
  );
}

function redactValue(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return typeof value === 'object' && value !== null ? '[deep]' : value;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  // Errors, dates and other instances go to their serializers unchanged.
  if (!isPlain(value)) return value;
  return redactMembers(value, depth);
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
