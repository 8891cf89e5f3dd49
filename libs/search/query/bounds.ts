/** Words and phrases of a question, in all of its parameters. */
export const MAX_TERMS = 50;
/** Parentheses within each other. */
export const MAX_DEPTH = 10;
/** What is longer is cut, in texts and questions alike. */
export const CODE_UNITS_OF_WORD = 100;
