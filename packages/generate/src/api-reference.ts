/** The reference of an operator's kinds as a page: every field with its type, default, limits and meaning. */
import { resourceNameOf } from '@keelson/core';
import type { CustomResourceDefinitionVersion, JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import type { DefinedKind } from '@keelson/schema';
import { codeSpan, limitsOf, typeOf } from './field-words.ts';
import { type GeneratedFile, markdownFile } from './generated-file.ts';
import type { Definition, Installation } from './installation.ts';

/** `docs/api.md`; none for an operator without kinds of its own. */
export function apiReferenceFile({ definitions, name }: Installation): readonly GeneratedFile[] {
  if (definitions.length === 0) return [];
  return [markdownFile('docs/api.md', `# API of ${name}\n\n${definitions.map(kindText).join('\n')}`)];
}

function kindText({ kind, crd: { spec } }: Definition): string {
  const { shortNames = [], categories = [] } = spec.names;
  const facts = [
    `\`${resourceNameOf(kind)}\``,
    spec.scope === 'Namespaced' ? 'in namespaces' : 'for the whole cluster',
    ...(shortNames.length > 0 ? [`for short ${shortNames.map(code).join(', ')}`] : []),
    ...(categories.length > 0 ? [`in the categories ${categories.map(code).join(', ')}`] : []),
  ];
  return `## ${kind.kind}\n\n${facts.join(', ')}.\n\n${spec.versions.map((each) => versionText(kind, each)).join('\n')}`;
}

function versionText(kind: DefinedKind, version: CustomResourceDefinitionVersion): string {
  const schema = version.schema?.openAPIV3Schema ?? {};
  const { spec, status } = schema.properties ?? {};
  const facts = [
    ...(version.storage ? ['Objects are stored in this version.'] : []),
    ...(version.served ? [] : ['It is not served.']),
    ...(version.deprecated ? [version.deprecationWarning ?? 'It is deprecated.'] : []),
    ...(version.subresources?.scale
      ? [`\`kubectl scale\` sets \`${version.subresources.scale.specReplicasPath}\`.`]
      : []),
  ];
  return [
    `### ${kind.group}/${version.name} ${kind.kind}`,
    ...(schema.description === undefined ? [] : [text(schema.description)]),
    ...(facts.length > 0 ? [facts.map(text).join(' ')] : []),
    ...rulesOf(schema),
    ...partText('spec', spec, schema.required?.includes('spec') ?? false),
    ...partText('status', status, false),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

function rulesOf(schema: JSONSchemaProps): readonly string[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  return rules.length === 0
    ? []
    : [rules.map(({ message, rule }) => `- ${message ? text(message) : codeSpan(rule)}`).join('\n')];
}

function partText(name: string, schema: JSONSchemaProps | undefined, isRequired: boolean): readonly string[] {
  if (schema === undefined) return [];
  const rows = fieldRows(schema, name);
  const table = ['| Field | Type | Meaning |', '|---|---|---|', ...rows].join('\n');
  return [`#### ${name}${isRequired ? ', required' : ''}`, ...rulesOf(schema), ...(rows.length > 0 ? [table] : [])];
}

/** A row for each field below a schema, and for what is below that. */
function fieldRows({ properties = {}, required = [] }: JSONSchemaProps, path: string): readonly string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const own = `${path}.${name}`;
    const meaning = [field.description, ...limitsOf(field)].filter((each) => each !== undefined);
    const type = `${typeOf(field)}${required.includes(name) ? ', required' : ''}`;
    return [`| ${code(own)} | ${text(type)} | ${meaning.map(sentence).join(' ')} |`, ...rowsBelow(field, own)];
  });
}

function rowsBelow(field: JSONSchemaProps, path: string): readonly string[] {
  const items = field.items as JSONSchemaProps | undefined;
  if (items !== undefined) return rowsBelow(items, `${path}[]`);
  const values = field.additionalProperties;
  if (typeof values === 'object') return rowsBelow(values as JSONSchemaProps, `${path}.*`);
  return field.properties === undefined ? [] : fieldRows(field, path);
}

const sentence = (words: string): string => (/[.!?]$/.test(words.trim()) ? text(words) : `${text(words)}.`);

/** Within a cell of a table; what stands in backquotes stays as it is. */
const text = (words: string): string =>
  words
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', '\\|')
    .replaceAll(
      /(?<span>(?<!`)(?<fence>`+)(?!`).*?(?<!`)\k<fence>(?!`))|[<*_[\]]/g,
      (match, span) => span ?? (match === '<' ? '&lt;' : `\\${match}`),
    );

const code = (words: string): string => `\`${words.replaceAll('|', '\\|')}\``;
