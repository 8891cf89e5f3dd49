import { identityLabelSql } from '@adit/contracts';

/**
 * SQL: whether a row `s` of segments says what the patterns of a parameter look for, as a client sees it. A group's name replaces the
 * label, as that of an index does, and of speech the label tells only that it is some.
 *
 * @param patterns of ILIKE: a parameter that is an array of them
 */
export function segmentTextMatches(patterns: string): string {
  return `(CASE WHEN s.identity_number IS NOT NULL THEN ${identityLabelSql('s.identity_number')} ELSE ${SHOWN_LABEL} END ILIKE ANY(${patterns}) OR s.meta->>'text' ILIKE ANY(${patterns}))`;
}

/** The label of a segment that is no member of a group of its job. On one line, as TypeORM wants it. */
const SHOWN_LABEL = `coalesce((SELECT nullif(i.label, '') FROM index_identities i WHERE i.index_id = s.index_id ), s.label )`;
