import { parse } from 'acorn';
import { simple } from 'acorn-walk';
import MagicString from 'magic-string';

const CLOSURES = ['ArrowFunctionExpression', 'FunctionExpression'];

/**
 * `code` that names its classes as before, and no closures. To keep names, esbuild wraps whatever is a function into
 * `__name(…, "name")`; closures are made all the time, and naming each of them took 4 % of a request. What a closure is
 * assigned to names it anyway, in nearly all places.
 */
export function withoutNamingOfClosures(code) {
  const edited = new MagicString(code);
  simple(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), {
    CallExpression({ callee, arguments: [named], start, end }) {
      if (callee.name !== '__name' || !CLOSURES.includes(named.type)) return;
      edited.remove(start, named.start).remove(named.end, end);
    },
    ExpressionStatement({ expression: { type, callee, arguments: values = [] }, start, end }) {
      if (type !== 'CallExpression' || callee.name !== '__name') return;
      // A declaration that nothing made esbuild rename.
      const [{ name }, { value }] = values;
      if (name === value) edited.overwrite(start, end, ';');
    },
  });
  return edited.toString();
}
