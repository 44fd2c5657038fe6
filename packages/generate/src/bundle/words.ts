/**
 * The words of a bundle: what no declaration says of an operator, and a catalogue shows to people. They stand in one
 * file of the project, `config/bundle.yaml`.
 */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { compileStructural } from '@keelson/schema/validation';
import { capabilities, categories, emailAddress } from './vocabulary.ts';

/** What a catalogue shows of an operator, and where its versions are offered. */
export interface BundleWords {
  readonly displayName: string;
  /** In Markdown. */
  readonly description: string;
  /** In one line. */
  readonly summary?: string | undefined;
  readonly provider: { readonly name: string; readonly url?: string | undefined };
  readonly maintainers: readonly { readonly name: string; readonly email: string }[];
  readonly keywords?: readonly string[] | undefined;
  readonly links?: readonly { readonly name: string; readonly url: string }[] | undefined;
  /** Where its picture is: a path from the project's folder. */
  readonly icon?: string | undefined;
  readonly categories?: readonly string[] | undefined;
  /** @default Basic Install */
  readonly capabilities?: string | undefined;
  readonly maturity?: string | undefined;
  /** @default 1.29.0, where rules in CEL are stable */
  readonly minKubeVersion?: string | undefined;
  /** Of the bundle. @default that of the operator */
  readonly version?: string | undefined;
  /** @default stable */
  readonly channels?: readonly string[] | undefined;
  /** @default the first of the channels */
  readonly defaultChannel?: string | undefined;
  /** The version before, or the name of its ClusterServiceVersion. */
  readonly replaces?: string | undefined;
  /** Versions, or such names, that an upgrade passes by. */
  readonly skips?: readonly string[] | undefined;
  /** Versions from which an upgrade comes here directly, such as `>=1.0.0 <1.2.0`. */
  readonly skipRange?: string | undefined;
}

const text: JSONSchemaProps = { type: 'string', minLength: 1 };
const texts: JSONSchemaProps = { type: 'array', items: text, minItems: 1 };
const address: JSONSchemaProps = { type: 'string', pattern: '^https?://[^\\s]+$' };
const object = (properties: Readonly<Record<string, JSONSchemaProps>>, required: readonly string[]) =>
  ({ type: 'object', properties, required }) as const;

const schema: JSONSchemaProps = object(
  {
    displayName: text,
    description: text,
    summary: text,
    provider: object({ name: text, url: address }, ['name']),
    maintainers: {
      type: 'array',
      minItems: 1,
      items: object({ name: text, email: { type: 'string', pattern: emailAddress.source } }, ['name', 'email']),
    },
    keywords: texts,
    links: { type: 'array', items: object({ name: text, url: address }, ['name', 'url']) },
    icon: text,
    categories: { type: 'array', minItems: 1, items: { type: 'string', enum: categories } },
    capabilities: { type: 'string', enum: capabilities },
    maturity: text,
    minKubeVersion: { type: 'string', pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$' },
    version: text,
    channels: texts,
    defaultChannel: text,
    replaces: text,
    skips: texts,
    skipRange: text,
  },
  ['displayName', 'description', 'provider', 'maintainers'],
);

/** What is wrong with a value that should be the words of a bundle: a sentence each, which begins with the field. */
export function bundleWordsProblems(value: unknown): readonly string[] {
  const compiled = compileStructural(schema);
  const { value: known, pruned } = compiled.prune(value);
  return [
    ...pruned.map((field) => `${field}: no such field`),
    ...compiled.validate(known).map(({ field, message }) => `${field}: ${message}`),
  ];
}
