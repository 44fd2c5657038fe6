/** Holds a value from a real server against the model, and so against the generated types. */
import type { Declaration, KindDeclaration, Model, Property, Type } from '../../src/model.ts';

/** Every place where an object as read is not what its type says. */
export function violations(model: Model, kind: KindDeclaration, object: unknown): readonly string[] {
  const declarations = new Map<string, Declaration>();
  for (const { path, declarations: all } of model.modules) {
    for (const declaration of all) {
      declarations.set(`${path}/${declaration.name}`, declaration);
      if (declaration.type === 'kind') declarations.set(`${path}/New${declaration.name}`, declaration);
    }
  }

  const ofType = (type: Type, value: unknown, at: string): readonly string[] => {
    const wrong = [`${at} is ${JSON.stringify(value)?.slice(0, 80)}, which is no ${describe(type)}`];
    switch (type.type) {
      case 'primitive':
        return type.name === 'unknown' || typeof value === type.name ? [] : wrong;
      case 'literals':
        return type.values.some((literal) => literal === value) ? [] : wrong;
      case 'array':
        if (!Array.isArray(value)) return wrong;
        return value.flatMap((item, index) => ofType(type.items, item, `${at}[${index}]`));
      case 'map':
        if (!isObject(value)) return wrong;
        return Object.entries(value).flatMap(([key, entry]) => ofType(type.values, entry, `${at}[${key}]`));
      case 'union':
        return type.members.some((member) => ofType(member, value, at).length === 0) ? [] : wrong;
      case 'reference': {
        const declaration = declarations.get(`${type.module}/${type.name}`);
        if (declaration === undefined) return [`${at}: there is no ${describe(type)}`];
        if (declaration.type === 'alias') return ofType(declaration.to, value, at);
        // Inside another object, a kind is as it was written; what the server added is not promised.
        const isTemplate = declaration.type === 'kind';
        const ignored = isTemplate ? ['apiVersion', 'kind', 'metadata', 'status'] : [];
        return isObject(value) ? ofProperties(declaration.properties, value, at, ignored) : wrong;
      }
      default:
        return type satisfies never;
    }
  };

  const ofProperties = (
    properties: readonly Property[],
    value: Readonly<Record<string, unknown>>,
    at: string,
    ignored: readonly string[],
  ): readonly string[] => [
    ...Object.keys(value)
      .filter((name) => !ignored.includes(name) && !properties.some((property) => property.name === name))
      .map((name) => `${at}.${name} is in no type`),
    ...properties
      .filter(({ name }) => !ignored.includes(name))
      .flatMap(({ name, type, isRequired, isNullable }) => {
        const present = value[name];
        if (present === undefined) return isRequired ? [`${at}.${name} is missing`] : [];
        if (present === null && isNullable) return [];
        return ofType(type, present, `${at}.${name}`);
      }),
  ];

  const at = `${kind.group}/${kind.version}/${kind.name}`;
  if (!isObject(object)) return [`${at} is no object`];
  const { metadata = {} } = object;
  const promised = ['name', 'uid', 'resourceVersion', 'creationTimestamp'];
  if (kind.resource?.scope === 'Namespaced') promised.push('namespace');
  return [
    ...ofProperties(
      kind.properties
        .filter(({ isWriteOnly }) => !isWriteOnly)
        .map((property) => ({ ...property, isRequired: property.isRequired || property.hasDefault })),
      object,
      at,
      ['apiVersion', 'kind', 'metadata'],
    ),
    ...ofType({ type: 'reference', module: 'meta/v1', name: 'ObjectMeta' }, metadata, `${at}.metadata`),
    ...promised
      .filter((name) => kind.isStored && typeof (metadata as Record<string, unknown>)[name] !== 'string')
      .map((name) => `${at}.metadata.${name} is missing`),
  ];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function describe(type: Type): string {
  return type.type === 'reference' ? `${type.module}/${type.name}` : JSON.stringify(type);
}
