const PREFIX = 'Unknown #';
const LABEL = /^Unknown #(\d+)$/;

/** The label of an unknown identity that a job tells apart from others by its number: `Unknown #3`. */
export function identityLabel(number: number): string {
  return `${PREFIX}${number}`;
}

/** The number in such a label; null for any other label. */
export function identityNumberIn(label: string): number | null {
  const [, digits] = LABEL.exec(label) ?? [];
  return digits === undefined ? null : Number(digits);
}

/** SQL: the label of the identity whose number `number` gives. */
export function identityLabelSql(number: string): string {
  return `('${PREFIX}' || ${number})`;
}

/** SQL: a regular expression that such labels match. */
export const IDENTITY_LABEL_PATTERN = LABEL.source.replace('\\d', '[0-9]');
