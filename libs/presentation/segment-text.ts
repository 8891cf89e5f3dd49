import { identityLabelSql } from '@adit/contracts';

/**
 * SQL: true when a row `s` of segments contains the patterns of a parameter as a client sees it. A group's name
 * replaces the label, and so does that of an index identity. The label of speech is constant.
 *
 * @param patterns of ILIKE: a parameter that is an array of them
 */
export function segmentTextMatches(patterns: string): string {
  return `(CASE WHEN s.identity_number IS NOT NULL THEN ${identityLabelSql('s.identity_number')} ELSE ${SHOWN_LABEL} END ILIKE ANY(${patterns}) OR s.meta->>'text' ILIKE ANY(${patterns}))`;
}

/** Label of a segment that is no member of a group of its job. It is on one line, as TypeORM requires. */
const SHOWN_LABEL = `coalesce((SELECT nullif(i.label, '') FROM index_identities i WHERE i.index_id = s.index_id ), s.label )`;
