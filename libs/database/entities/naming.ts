import { DefaultNamingStrategy } from 'typeorm';

/** Column name of a property. */
export function columnNameOf(name: string): string {
  return name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}

/** Properties are camelCase in code and snake_case in SQL. */
export class SnakeNaming extends DefaultNamingStrategy {
  override columnName(property: string, custom: string | undefined, prefixes: string[]): string {
    return columnNameOf([...prefixes, custom ?? property].join('_'));
  }
}
