/** True for an empty value (null, '', [], {}), which callers would take for a real result. */
function isNothing(node) {
  switch (node?.type) {
    case 'Literal':
      return node.value === null || node.value === '';
    case 'ArrayExpression':
      return node.elements.length === 0;
    case 'ObjectExpression':
      return node.properties.length === 0;
    case 'TSAsExpression':
      return isNothing(node.expression);
    default:
      return false;
  }
}

/** Statements of a block and of those in it; functions within have answers of their own. */
function* statementsOf(node) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const each of node) yield* statementsOf(each);
    return;
  }
  if (typeof node.type !== 'string' || /Function/.test(node.type)) return;
  yield node;
  for (const [key, value] of Object.entries(node)) if (key !== 'parent') yield* statementsOf(value);
}

/** Node that returns an empty value for every error; null where some error is rethrown or no empty value is returned. */
function lostBy(body) {
  if (body.type !== 'BlockStatement') return isNothing(body) ? body : null;
  let answer = null;
  for (const each of statementsOf(body.body)) {
    if (each.type === 'ThrowStatement') return null;
    if (each.type === 'ReturnStatement' && isNothing(each.argument)) answer = each;
  }
  return answer;
}

function isFunction(node) {
  return node?.type === 'ArrowFunctionExpression' || node?.type === 'FunctionExpression';
}

/**
 * A lint rule: no `catch` answers null, '', [] or {} to every error alike. A store that is away for a moment is no picture that is
 * gone. `nullIfGone` and `nullIfNoFile` of `@adit/contracts` are the right ones for most; the rest gives its reason.
 */
export const noLostErrors = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      lost: 'Every error becomes nothing here, also of what is only away for a moment. Throw on what you do not mean (nullIfGone, nullIfNoFile), or give the reason.',
    },
  },
  create(context) {
    const check = (body) => {
      const node = lostBy(body);
      if (node !== null) context.report({ node, messageId: 'lost' });
    };
    return {
      CatchClause: ({ body }) => check(body),
      CallExpression({ callee, arguments: given }) {
        if (callee.type !== 'MemberExpression' || callee.computed) return;
        const at = { catch: 0, then: 1 }[callee.property.name];
        if (at !== undefined && isFunction(given[at])) check(given[at].body);
      },
    };
  },
};
