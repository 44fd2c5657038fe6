/**
 * Expressions of admission policies and match conditions, compiled.
 *
 * Promises: they see what the API server lets them see (`object`, `oldObject`, `request`, `namespaceObject`, and where
 * it is declared `params`, `authorizer` and the types of patches), and `variables`, each of which may use those before
 * it; what is wrong with one is told in the server's words.
 */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { type DeclaredType, declaredType } from '../declared-type.ts';
import { compile, type Program } from '../evaluate.ts';
import { fieldsByType } from '../expression.ts';
import { type Checked, check } from '../language/check.ts';
import { environment, extended } from '../language/environment.ts';
import { parse } from '../language/parser.ts';
import { type Issue, Source } from '../language/source.ts';
import { bool, dyn, isSameType, list, nullType, paramsOf, string, struct, type Type } from '../language/types.ts';
import { kubernetesEnvironment } from '../library/kubernetes-environment.ts';
import { checkLiterals, uncomputable } from '../literals-check.ts';
import { authorizers, authorizerType, resourceCheckType } from './authorizer.ts';
import { jsonPatches, patchFieldType, patchTypes } from './patch-types.ts';
import { namespaceType, requestFieldType, requestType } from './request-types.ts';

/** What an expression may see beside what all do. */
export interface Declared {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** `Object{…}`, `JSONPatch{…}` and `jsonpatch.escapeKey`. */
  readonly patches?: boolean;
}

/** What an expression gives: a verdict, a text, a text or null, anything, or a patch. */
export type Wanted = 'bool' | 'string' | 'string or null' | 'anything' | 'Object' | 'list(JSONPatch)';

/** An expression that compiled. */
export interface AdmissionExpression {
  readonly text: string;
  readonly program: Program;
  readonly type: Type;
}

/** Why an expression is none; `internal` problems are the server's own. */
export interface AdmissionProblem {
  readonly type: 'invalid' | 'internal';
  readonly problem: string;
}

const wantedTypes: Readonly<Record<Exclude<Wanted, 'anything'>, readonly Type[]>> = {
  bool: [bool],
  string: [string],
  'string or null': [string, nullType],
  Object: [struct('Object')],
  'list(JSONPatch)': [list(struct('JSONPatch'))],
};

const plain = extended(kubernetesEnvironment, environment([authorizers], new Map()));
const withPatches = { ...extended(plain, environment([jsonPatches], new Map())), structs: patchTypes };

const variablesName = 'kubernetes.variables';
const variablesType = struct(variablesName);
const given = ['object', 'oldObject', 'request', 'namespaceObject', 'params', 'variables'];
const names = [...given, 'authorizer', 'authorizer.requestResource'];

/** What `object`, `oldObject` and `params` are, where that is known; without it, anything. */
export interface KnownTypes {
  readonly object?: DeclaredType | undefined;
  readonly params?: DeclaredType | undefined;
}

/** Compiles the expressions of one policy; variables become known in their order. */
export class AdmissionCompiler {
  readonly #variableTypes = new Map<string, Type>();
  readonly #variables = new Map<string, AdmissionExpression | AdmissionProblem>();
  readonly #known: KnownTypes;
  readonly #structs: ReadonlyMap<string, DeclaredType['fields']>;
  readonly #hasVariables: boolean;

  /** Without `variables`, expressions cannot name them at all. */
  constructor({ variables, known = {} }: { readonly variables: boolean; readonly known?: KnownTypes }) {
    this.#hasVariables = variables;
    this.#known = known;
    this.#structs = new Map(
      [known.object, known.params].flatMap((type) => (type === undefined ? [] : [...fieldsByType(type)])),
    );
  }

  /** By name; one that does not compile is an error when it is used. */
  get variables(): ReadonlyMap<string, AdmissionExpression | AdmissionProblem> {
    return this.#variables;
  }

  addVariable(name: string, text: string, declared: Declared): AdmissionExpression | AdmissionProblem {
    const compiled = this.compile(text, declared, 'anything');
    this.#variables.set(name, compiled);
    this.#variableTypes.set(name, 'problem' in compiled ? dyn : variableType(compiled.type));
    return compiled;
  }

  compile(text: string, declared: Declared, wanted: Wanted): AdmissionExpression | AdmissionProblem {
    const checked = this.check(text, declared);
    if ('issues' in checked) return { type: 'invalid', problem: `compilation failed: ${checked.issues}` };
    const type = checked.types.get(checked.expr) ?? dyn;
    const allowed = wanted === 'anything' ? [type] : wantedTypes[wanted];
    if (!allowed.some((each) => isSameType(each, type))) {
      const types = allowed.map(outputType);
      const what = types.length === 1 ? types[0] : `one of [${types.join(' ')}]`;
      return { type: 'invalid', problem: `must evaluate to ${what} but got ${outputType(type)}` };
    }
    const problem = uncomputable(checked);
    if (problem !== undefined) return { type: 'internal', problem: `program instantiation failed: ${problem}` };
    return { text, program: compile(checked, names), type };
  }

  /** Checks the types alone. */
  check(text: string, { params, authorizer, patches = false }: Declared): Checked | { readonly issues: string } {
    const source = new Source(text);
    const issues: Issue[] = [];
    const expr = parse(source, issues);
    if (expr === undefined) return { issues: source.show(issues) };
    const { object = { type: dyn }, params: ofParams = { type: dyn } } = this.#known;
    const variables = new Map([
      ['object', object.type],
      ['oldObject', object.type],
      ['request', requestType],
      ['namespaceObject', namespaceType],
      ...(params ? ([['params', ofParams.type]] as const) : []),
      ...(authorizer ? ([['authorizer', authorizerType]] as const) : []),
      ...(authorizer ? ([['authorizer.requestResource', resourceCheckType]] as const) : []),
      ...(this.#hasVariables ? ([['variables', variablesType]] as const) : []),
    ]);
    const checked = check(expr, patches ? withPatches : plain, variables, this.#fieldType, issues);
    if (issues.length === 0) checkLiterals(checked, issues);
    return issues.length > 0 ? { issues: source.show(issues) } : checked;
  }

  readonly #fieldType = ({ name }: Type & { readonly kind: 'struct' }, field: string): Type | undefined => {
    if (name === variablesName) return this.#variableTypes.get(field);
    return (
      requestFieldType(name)?.get(field) ?? this.#structs.get(name)?.get(field)?.type ?? patchFieldType(name)?.(field)
    );
  };
}

/** Values of the types of libraries are anything to those who use a variable. */
function variableType(type: Type): Type {
  switch (type.kind) {
    case 'list':
      return list(variableType(type.params[0]));
    case 'map':
      return { kind: 'map', params: [variableType(type.params[0]), variableType(type.params[1])] };
    case 'struct':
    case 'opaque':
    case 'type':
    case 'param':
    case 'error':
      return dyn;
    default:
      return type;
  }
}

const outputNames: Readonly<Record<string, string>> = {
  null: 'null_type',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
};

/** Here the server writes some types otherwise than in the issues of an expression. */
function outputType(type: Type): string {
  const name = 'name' in type ? type.name : (outputNames[type.kind] ?? type.kind);
  const params = paramsOf(type);
  return params.length === 0 ? name : `${name}(${params.map(outputType).join(', ')})`;
}

/** What objects of a schema are to expressions; `name` tells those of one expression apart. */
export function objectDeclaration(schema: JSONSchemaProps | undefined, name: string): DeclaredType | undefined {
  return schema && declaredType(schema, true, name);
}
