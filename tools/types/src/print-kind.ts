/** A kind as TypeScript: its type as read, its type as written, and its descriptor. */
import { comment } from './comment.ts';
import type { Imports } from './imports.ts';
import { heritage, inline, list, quote } from './layout.ts';
import type { KindDeclaration, Property } from './model.ts';
import { membersOf, printProperty } from './print-type.ts';

/** Modules of core that are written by hand, as seen from the output folder. */
const kindModule = '../kind';
const metaModule = '../meta';

export function printKind(kind: KindDeclaration, imports: Imports): string {
  const parts = [
    asRead(kind, imports),
    ...(kind.isWritten ? [asWritten(kind, imports)] : []),
    descriptor(kind, imports),
  ];
  return parts.join('\n');
}

/** As read, everything that the server fills in is there. */
function asRead(kind: KindDeclaration, imports: Imports): string {
  const properties = kind.properties
    .filter(({ isWriteOnly }) => !isWriteOnly)
    .map((property): Property => ({ ...property, isRequired: property.isRequired || property.hasDefault }));
  return printInterface(kind.name, kind.description, [
    `  readonly apiVersion: ${quote(apiVersionOf(kind))};\n`,
    `  readonly kind: ${quote(kind.name)};\n`,
    `  readonly metadata: ${storedMeta(kind, imports)};\n`,
    ...properties.map((property) => printProperty(property, imports)),
  ]);
}

/** As written, there is no status: that is the server's or a controller's to say. */
function asWritten(kind: KindDeclaration, imports: Imports): string {
  const properties = kind.properties
    .filter(({ name }) => name !== 'status')
    .map((property): Property => ({ ...property, isNullable: false }));
  const metadata = kind.isStored
    ? `metadata: ${imports.use(metaModule, 'NewObjectMeta')}`
    : `metadata?: ${imports.use('meta/v1', 'ObjectMeta')} | undefined`;
  return printInterface(`New${kind.name}`, `${kind.name} as it is written.`, [
    `  readonly apiVersion?: ${quote(apiVersionOf(kind))} | undefined;\n`,
    `  readonly kind?: ${quote(kind.name)} | undefined;\n`,
    `  readonly ${metadata};\n`,
    ...properties.map((property) => printProperty(property, imports)),
  ]);
}

/**
 * The descriptor's type is an interface of its own: its strings stay literal types, error messages name it, and
 * declaration files of other packages can refer to it.
 */
function descriptor(kind: KindDeclaration, imports: Imports): string {
  const { name, resource } = kind;
  const fields = Object.entries({
    group: kind.group,
    version: kind.version,
    kind: name,
    ...(resource && { resource: resource.name, scope: resource.scope, subresources: resource.subresources }),
  });
  return [
    `/** What \`${name}\` is as a value: the kind that clients and controllers are given. */\n`,
    heritage(`export interface ${name}Kind`, `extends ${genericKind(kind, imports)} {`),
    ...fields.map(([key, value]) => `${printLiteral(`  readonly ${key}: `, value, 'readonly ', ';')}\n`),
    `}\n\nexport const ${name}: ${name}Kind = {\n`,
    ...fields.map(([key, value]) => `${printLiteral(`  ${key}: `, value, '', ',')}\n`),
    '};\n',
  ].join('');
}

function genericKind({ name, isStored, isWritten, answer, properties }: KindDeclaration, imports: Imports): string {
  const written = isWritten ? `New${name}` : 'never';
  if (!isStored) {
    const read = answer === undefined ? name : inline(membersOf(answer, imports));
    return `${imports.use(kindModule, 'VirtualKind')}<${read}, ${written}>`;
  }
  const status = properties.find((property) => property.name === 'status')?.type;
  const statusWritten = status === undefined ? 'never' : inline(membersOf(status, imports));
  return `${imports.use(kindModule, 'Kind')}<${name}, ${written}, ${statusWritten}>`;
}

function printLiteral(head: string, value: string | readonly string[], modifier: string, tail: string): string {
  if (typeof value === 'string') return `${head}${quote(value)}${tail}`;
  return list(`${head}${modifier}[`, value.map(quote), `]${tail}`);
}

function storedMeta({ isStored, resource }: KindDeclaration, imports: Imports): string {
  if (!isStored) return imports.use('meta/v1', 'ObjectMeta');
  return imports.use(metaModule, resource?.scope === 'Namespaced' ? 'NamespacedObjectMeta' : 'StoredObjectMeta');
}

function apiVersionOf({ group, version }: KindDeclaration): string {
  return group === '' ? version : `${group}/${version}`;
}

function printInterface(name: string, description: string | undefined, properties: readonly string[]): string {
  return `${comment(description)}export interface ${name} {\n${properties.join('')}}\n`;
}
