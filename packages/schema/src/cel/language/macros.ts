/** Macros: calls that become something else while the expression is parsed. */
import { accumulator, type Call, type Comprehension, type Expr } from './ast.ts';

/** What the call becomes, or why it is wrong (and where). Undefined when the call is no macro. */
export type Expansion = Expr | { readonly problem: string; readonly at: number } | undefined;

interface Macro {
  /** Names for the variables come first. */
  readonly variables: number;
  readonly notNames: string;
  readonly expand: (
    call: MacroCall,
  ) => Omit<Comprehension, 'kind' | 'at' | 'range' | 'variable' | 'second' | 'gathers'>;
}

interface MacroCall {
  readonly at: number;
  readonly variables: readonly Expr[];
  readonly args: readonly Expr[];
}

/** What stands for a macro such as `all` or `map`; nothing for another call. */
export function expandMacro({ at, name, target, args }: Call): Expansion {
  if (target === undefined) return name === 'has' && args.length === 1 ? expandHas(args[0], at) : undefined;
  if (name === 'optMap' || name === 'optFlatMap')
    return args.length === 2 ? expandOptional(name, target, args, at) : undefined;
  if (name === 'sortBy' && args.length === 2) return expandSortBy(target, args, at);
  const macro = macros.get(`${name}/${args.length}`);
  if (macro === undefined) return undefined;
  const names = args.slice(0, macro.variables);
  const wrong = names.find((arg) => arg.kind !== 'ident');
  if (wrong !== undefined) return { problem: macro.notNames, at: wrong.at };
  const [variable = '', second] = names.map((arg) => (arg.kind === 'ident' ? arg.name : ''));
  if (variable === '__result__' || second === '__result__') {
    return { problem: 'iteration variable overwrites accumulator variable', at: names[0]?.at ?? at };
  }
  if (second === variable) return { problem: `duplicate variable name: ${second}`, at: names[1]?.at ?? at };
  return {
    kind: 'comprehension',
    at,
    range: target,
    variable,
    second,
    gathers: accumulator,
    ...macro.expand({ at, variables: names, args: args.slice(macro.variables) }),
  };
}

function expandHas(arg: Expr | undefined, at: number): Expansion {
  if (arg?.kind === 'select') return { ...arg, at, isTest: true };
  return { problem: 'invalid argument to has() macro', at: arg?.at ?? at };
}

const accu = (at: number): Expr => ({ kind: 'ident', at, name: accumulator });
const literal = (at: number, value: boolean | bigint): Expr => ({ kind: 'literal', at, value });
const call = (at: number, name: string, ...args: readonly Expr[]): Expr => ({
  kind: 'call',
  at,
  name,
  target: undefined,
  args,
});
const list = (at: number, ...items: readonly Expr[]): Expr => ({
  kind: 'list',
  at,
  elements: items.map((value) => ({ value, isOptional: false })),
});

function all({ at, args: [predicate = literal(0, true)] }: MacroCall) {
  return {
    init: literal(at, true),
    condition: call(at, '@not_strictly_false', accu(at)),
    step: call(at, '_&&_', accu(at), predicate),
    result: accu(at),
  };
}

function exists({ at, args: [predicate = literal(0, true)] }: MacroCall) {
  return {
    init: literal(at, false),
    condition: call(at, '@not_strictly_false', call(at, '!_', accu(at))),
    step: call(at, '_||_', accu(at), predicate),
    result: accu(at),
  };
}

function existsOne({ at, args: [predicate = literal(0, true)] }: MacroCall) {
  return {
    init: literal(at, 0n),
    condition: literal(at, true),
    step: call(at, '_?_:_', predicate, call(at, '_+_', accu(at), literal(at, 1n)), accu(at)),
    result: call(at, '_==_', accu(at), literal(at, 1n)),
  };
}

/** A step that adds to what was gathered, for each item for which the filter holds if there is one. */
function gather(init: Expr, add: (last: Expr, at: number) => Expr) {
  return ({ at, args }: MacroCall) => {
    const last = args.at(-1) ?? init;
    const filter = args.length > 1 ? args[0] : undefined;
    const added = add(last, at);
    return {
      init: { ...init, at },
      condition: literal(at, true),
      step: filter === undefined ? added : call(at, '_?_:_', filter, added, accu(at)),
      result: accu(at),
    };
  };
}

const map = gather(list(0), (item, at) => call(at, '_+_', accu(at), list(at, item)));

function filter({ at, variables: [item = literal(0, true)], args: [predicate = literal(0, true)] }: MacroCall) {
  return map({ at, variables: [], args: [predicate, item] });
}

const emptyMap: Expr = { kind: 'map', at: 0, entries: [] };

function transformMap(macroCall: MacroCall) {
  const key = macroCall.variables[0] ?? literal(0, true);
  return gather(emptyMap, (value, at) => call(at, 'cel.@mapInsert', accu(at), key, value))(macroCall);
}

const transformMapEntry = gather(emptyMap, (entry, at) => call(at, 'cel.@mapInsert', accu(at), entry));

const simple = 'argument must be a simple name';
const ident = 'argument is not an identifier';

const macros: ReadonlyMap<string, Macro> = new Map<string, Macro>([
  ['all/2', { variables: 1, notNames: simple, expand: all }],
  ['exists/2', { variables: 1, notNames: simple, expand: exists }],
  ['exists_one/2', { variables: 1, notNames: simple, expand: existsOne }],
  ['existsOne/2', { variables: 1, notNames: simple, expand: existsOne }],
  ['map/2', { variables: 1, notNames: ident, expand: map }],
  ['map/3', { variables: 1, notNames: ident, expand: map }],
  ['filter/2', { variables: 1, notNames: ident, expand: filter }],
  ['all/3', { variables: 2, notNames: simple, expand: all }],
  ['exists/3', { variables: 2, notNames: simple, expand: exists }],
  ['exists_one/3', { variables: 2, notNames: simple, expand: existsOne }],
  ['existsOne/3', { variables: 2, notNames: simple, expand: existsOne }],
  ['transformList/3', { variables: 2, notNames: simple, expand: map }],
  ['transformList/4', { variables: 2, notNames: simple, expand: map }],
  ['transformMap/3', { variables: 2, notNames: simple, expand: transformMap }],
  ['transformMap/4', { variables: 2, notNames: simple, expand: transformMap }],
  ['transformMapEntry/3', { variables: 2, notNames: simple, expand: transformMapEntry }],
  ['transformMapEntry/4', { variables: 2, notNames: simple, expand: transformMapEntry }],
]);

/** A name for a value: a loop over nothing, whose result is all that counts. */
function bind(name: string, value: Expr, result: Expr, at: number): Expr {
  return {
    kind: 'comprehension',
    at,
    range: list(at),
    variable: '#unused',
    second: undefined,
    init: value,
    condition: literal(at, false),
    step: { kind: 'ident', at, name },
    gathers: name,
    result,
  };
}

function expandOptional(name: string, target: Expr, args: readonly Expr[], at: number): Expansion {
  const [variable, body] = args;
  if (variable?.kind !== 'ident' || body === undefined) {
    return { problem: `${name}() variable name must be a simple identifier`, at: variable?.at ?? at };
  }
  const method = (receiver: Expr, method: string): Expr => ({
    kind: 'call',
    at,
    name: method,
    target: receiver,
    args: [],
  });
  const bound = bind(variable.name, method(target, 'value'), body, at);
  return call(
    at,
    '_?_:_',
    method(target, 'hasValue'),
    name === 'optMap' ? call(at, 'optional.of', bound) : bound,
    call(at, 'optional.none'),
  );
}

function expandSortBy(target: Expr, args: readonly Expr[], at: number): Expansion {
  const [variable, key] = args;
  if (!['ident', 'select', 'list', 'comprehension', 'call'].includes(target.kind)) {
    const message = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
    return { problem: message, at: target.at };
  }
  if (variable?.kind !== 'ident' || key === undefined) {
    return { problem: 'argument must be a simple name', at: variable?.at ?? at };
  }
  const input = '@__sortBy_input__';
  const range: Expr = { kind: 'ident', at, name: input };
  const keys: Expr = {
    kind: 'comprehension',
    at,
    range,
    variable: variable.name,
    second: undefined,
    gathers: accumulator,
    ...map({ at, variables: [], args: [key] }),
  };
  const sorted: Expr = { kind: 'call', at, name: '@sortByAssociatedKeys', target: range, args: [keys] };
  return bind(input, target, sorted, at);
}
