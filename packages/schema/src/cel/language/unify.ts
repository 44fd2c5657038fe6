/** Which types fit together: what stands for the types that are not known yet is found out on the way. */
import { dyn, isSameType, list, map, nameOf, opaque, paramsOf, type Type, typeOf } from './types.ts';

/** What is known so far of the unknown types, by name. */
export class Substitutions {
  #known: Map<string, Type>;

  constructor(known: ReadonlyMap<string, Type> = new Map()) {
    this.#known = new Map(known);
  }

  /** Whether values of the one types can stand where the others are wanted; if not, nothing is remembered. */
  areAssignable(types: readonly Type[], wanted: readonly Type[]): boolean {
    const attempt = new Substitutions(this.#known);
    if (!attempt.#listsFit(types, wanted)) return false;
    this.#known = attempt.#known;
    return true;
  }

  isAssignable(type: Type, wanted: Type): boolean {
    return this.areAssignable([type], [wanted]);
  }

  bind(name: string, type: Type): void {
    this.#known.set(name, type);
  }

  /** The type with all that is known put in; `unknownAsDyn` gives up on the rest. */
  apply(type: Type, unknownAsDyn = false): Type {
    if (type.kind === 'param') {
      const found = this.#known.get(type.name);
      if (found !== undefined) return this.apply(found, unknownAsDyn);
      return unknownAsDyn ? dyn : type;
    }
    const params = paramsOf(type).map((each) => this.apply(each, unknownAsDyn));
    const [first = dyn, second = dyn] = params;
    if (type.kind === 'list') return list(first);
    if (type.kind === 'map') return map(first, second);
    if (type.kind === 'opaque') return opaque(type.name, ...params);
    return type.kind === 'type' && params.length > 0 ? typeOf(first) : type;
  }

  #listsFit(types: readonly Type[], wanted: readonly Type[]): boolean {
    return types.length === wanted.length && types.every((type, i) => this.#fits(type, wanted[i] ?? dyn));
  }

  #fits(type: Type, wanted: Type): boolean {
    if (wanted.kind === 'param') {
      const { isValid, isKnown } = this.#substitute(type, wanted);
      if (isValid || isKnown) return isValid;
    }
    if (type.kind === 'param') return this.#substitute(wanted, type).isValid;
    if (isDynOrError(type) || isDynOrError(wanted)) return true;
    if (type.kind === 'null') return isNullable(wanted);
    if (wanted.kind === 'null') return isNullable(type);
    if (type.kind === 'type') return wanted.kind === 'type';
    if (type.kind !== wanted.kind || nameOf(type) !== nameOf(wanted)) return false;
    return this.#listsFit(paramsOf(type), paramsOf(wanted));
  }

  /** Whether `type` can be what the unknown type stands for. */
  #substitute(type: Type, unknown: Type & { readonly kind: 'param' }): { isValid: boolean; isKnown: boolean } {
    if (isSameType(type, unknown)) return { isValid: true, isKnown: true };
    const known = this.#known.get(unknown.name);
    if (known === undefined) {
      const isFree = !this.#occurs(unknown, type);
      if (isFree) this.#known.set(unknown.name, type);
      return { isValid: isFree, isKnown: false };
    }
    if (isSameType(type, known)) return { isValid: true, isKnown: true };
    if (!this.#fits(type, known)) return { isValid: false, isKnown: true };
    const general = isLessSpecific(type, known) ? type : known;
    if (!this.#occurs(unknown, general)) this.#known.set(unknown.name, general);
    return { isValid: true, isKnown: true };
  }

  #occurs(unknown: Type & { readonly kind: 'param' }, within: Type): boolean {
    if (isSameType(unknown, within)) return true;
    if (within.kind === 'param') {
      const known = this.#known.get(within.name);
      return known !== undefined && this.#occurs(unknown, known);
    }
    return paramsOf(within).some((each) => this.#occurs(unknown, each));
  }
}

/** Whether nothing can be concluded from a type. */
export function isDynOrError({ kind }: Type): boolean {
  return kind === 'dyn' || kind === 'error';
}

function isNullable({ kind }: Type): boolean {
  return ['opaque', 'struct', 'duration', 'timestamp', 'null'].includes(kind);
}

/** Whether the first says as much as the second, or less. */
export function isLessSpecific(type: Type, other: Type): boolean {
  if (type.kind === 'dyn' || type.kind === 'param') return true;
  if (other.kind === 'dyn' || other.kind === 'param' || type.kind !== other.kind) return false;
  if (type.kind === 'type') return true;
  const [params, others] = [paramsOf(type), paramsOf(other)];
  if (nameOf(type) !== nameOf(other) || params.length !== others.length) return false;
  return params.every((each, i) => isLessSpecific(each, others[i] ?? dyn));
}
