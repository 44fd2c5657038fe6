/**
 * Custom resources for cases: CustomResourceDefinitions with names of their own, and one rich kind, Widget, that the
 * whole run shares.
 */
import type { Answer, Fields } from './exchange.ts';
import { customResourceDefinitions } from './paths.ts';
import { eventually, uniqueName } from './session.ts';
import type { Trial } from './trial.ts';

/** A kind that a case has defined, as far as its users need to know it. */
export class CustomKind {
  readonly group: string;
  readonly crd: string;
  readonly plural: string;
  readonly kind: string;
  readonly version: string;

  constructor(group: string, plural: string, kind: string, version: string) {
    this.group = group;
    this.plural = plural;
    this.kind = kind;
    this.version = version;
    this.crd = `${plural}.${group}`;
  }

  get apiVersion(): string {
    return `${this.group}/${this.version}`;
  }

  in(namespace: string, version = this.version): string {
    return `/apis/${this.group}/${version}/namespaces/${namespace}/${this.plural}`;
  }

  get everywhere(): string {
    return `/apis/${this.group}/${this.version}/${this.plural}`;
  }

  /** An object of this kind; `content` is what stands beside metadata. */
  object(name: string, content: Fields = {}, metadata: Fields = {}) {
    return { apiVersion: this.apiVersion, kind: this.kind, metadata: { name, ...metadata }, ...content };
  }
}

export const anySchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export interface Version {
  readonly name: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly schema?: { readonly openAPIV3Schema: unknown };
  readonly [field: string]: unknown;
}

/** A CustomResourceDefinition in a group of its own; `spec` replaces what it names. */
export function definition(version: Partial<Version> = {}, spec: Fields = {}, plural = 'gadgets', kind = 'Gadget') {
  const group = `${uniqueName('g')}.example.com`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: anySchema }, ...version }],
      ...spec,
    },
  };
}

export type Definition = ReturnType<typeof definition>;

/** Makes the definition and waits until its objects are served. */
export async function define(trial: Trial, crd: Definition): Promise<CustomKind> {
  (await trial.post(customResourceDefinitions, crd)).is(201);
  return await served(crd, (path) => trial.get(path));
}

/** A kind with one version, defined by its schema. */
export async function defineSchema(trial: Trial, openAPIV3Schema: unknown, version: Fields = {}): Promise<CustomKind> {
  return await define(trial, definition({ schema: { openAPIV3Schema }, ...version }));
}

async function served(crd: Definition, get: (path: string) => Promise<Answer>): Promise<CustomKind> {
  const { group, names, versions } = crd.spec;
  const custom = new CustomKind(group, names.plural, names.kind, versions[0]?.name ?? 'v1');
  await eventually(async () => (await get(custom.everywhere)).is(200));
  return custom;
}

/** The Widget of this run. */
export function widgets(trial: Trial): Promise<CustomKind> {
  const { session } = trial;
  return session.share('widgets', async (made) => {
    const crd = definition(widgetVersion, widgetSpec, 'widgets', 'Widget');
    (await session.api.send('POST', customResourceDefinitions, { body: crd })).is(201);
    made.push(`${customResourceDefinitions}/${crd.metadata.name}`);
    return await served(crd, (path) => session.api.send('GET', path));
  });
}

const widgetSpec = {
  names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'], categories: ['conformance'] },
};

const widgetVersion = {
  name: 'v1alpha1',
  subresources: {
    status: {},
    scale: {
      specReplicasPath: '.spec.size',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  },
  selectableFields: [{ jsonPath: '.spec.color' }],
  additionalPrinterColumns: [
    { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'How many.' },
    { name: 'Color', type: 'string', jsonPath: '.spec.color' },
    { name: 'Available', type: 'string', jsonPath: '.status.conditions[?(@.type=="Available")].status' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  schema: {
    openAPIV3Schema: {
      type: 'object',
      description: 'A thing for tests.',
      'x-kubernetes-validations': [
        { rule: 'self.metadata.name.size() <= 40', message: 'the name must have at most 40 characters' },
      ],
      properties: {
        spec: {
          type: 'object',
          default: {},
          properties: {
            size: { type: 'integer', format: 'int32', minimum: 1, maximum: 5, default: 1, description: 'How many.' },
            color: { type: 'string', enum: ['red', 'green', 'blue'] },
            title: { type: 'string', maxLength: 12, pattern: '^[a-z]*$' },
            weight: { 'x-kubernetes-int-or-string': true },
            free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
            steps: { type: 'array', items: { type: 'string' }, maxItems: 3 },
            env: { type: 'object', additionalProperties: { type: 'string' } },
            parts: {
              type: 'array',
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['name'],
              items: {
                type: 'object',
                required: ['name'],
                properties: {
                  name: { type: 'string' },
                  count: { type: 'integer', default: 1 },
                  note: { type: 'string' },
                },
              },
            },
            note: { type: 'string', nullable: true },
            limit: { type: 'integer', format: 'int32' },
          },
        },
        status: {
          type: 'object',
          properties: {
            replicas: { type: 'integer' },
            selector: { type: 'string' },
            phase: { type: 'string', enum: ['Pending', 'Ready'] },
            conditions: {
              type: 'array',
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['type'],
              items: {
                type: 'object',
                required: ['type', 'status'],
                properties: {
                  type: { type: 'string' },
                  status: { type: 'string' },
                  reason: { type: 'string' },
                  message: { type: 'string' },
                },
              },
            },
          },
        },
      },
    },
  },
};
