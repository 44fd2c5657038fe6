/** What a server says it can do: every method of every path of its own OpenAPI documents. */
import type { Api } from '../api.ts';
import type { GroupVersionKind, Schema, Schemas } from './random-value.ts';

export interface Operation {
  readonly method: string;
  /** With its places, such as `/api/v1/namespaces/{namespace}/pods/{name}`. */
  readonly path: string;
  /** The names of what a query may say. */
  readonly parameters: readonly string[];
  /** The body's; absent where there is none. */
  readonly schema: Schema | undefined;
  readonly apiVersion: string;
  readonly kind: string;
  readonly schemas: Schemas;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components?: { readonly schemas?: Schemas };
}

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly 'x-kubernetes-group-version-kind'?: GroupVersionKind;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];
/** Those that last, or lead on to somebody else. */
const lasting = /\/watch\/|\/(?:proxy|exec|attach|portforward)(?:\/|$)/;

export async function operationsOf(api: Api): Promise<readonly Operation[]> {
  const index = (await api.send('GET', '/openapi/v3')).is(200) as unknown as {
    readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
  };
  const found: Operation[] = [];
  for (const name of Object.keys(index.paths).sort()) {
    if (!/^apis?\/.*v\d/.test(name)) continue;
    const [path = '', query = ''] = (index.paths[name]?.serverRelativeURL ?? '').split('?');
    const answer = await api.send('GET', path, { query: Object.fromEntries(new URLSearchParams(query)) });
    found.push(...operationsIn(answer.is(200) as unknown as Document));
  }
  return found;
}

function operationsIn({ paths, components }: Document): readonly Operation[] {
  const schemas = components?.schemas ?? {};
  return Object.entries(paths).flatMap(([path, item]) =>
    lasting.test(path)
      ? []
      : methods.flatMap((method) => {
          const described = item[method] as Described | undefined;
          const of = described?.['x-kubernetes-group-version-kind'];
          if (described === undefined || of === undefined) return [];
          const shared = (item.parameters ?? []) as NonNullable<Described['parameters']>;
          const parameters = [...shared, ...(described.parameters ?? [])];
          return [
            {
              method: method.toUpperCase(),
              path,
              parameters: parameters.filter((each) => each.in === 'query').map((each) => each.name),
              schema: bodySchema(method, described, schemas, of),
              apiVersion: of.group === '' ? of.version : `${of.group}/${of.version}`,
              kind: of.kind,
              schemas,
            },
          ];
        }),
  );
}

/** Of a patch, what it is a patch of. */
function bodySchema(
  method: string,
  { requestBody }: Described,
  schemas: Schemas,
  { group, version, kind }: GroupVersionKind,
): Schema | undefined {
  if (method !== 'patch') return Object.values(requestBody?.content ?? {})[0]?.schema;
  const kindOf = (schema: Schema) => schema['x-kubernetes-group-version-kind'] ?? [];
  const name = Object.keys(schemas).find((each) =>
    kindOf(schemas[each] ?? {}).some((of) => of.group === group && of.version === version && of.kind === kind),
  );
  return name === undefined ? {} : { $ref: `#/components/schemas/${name}` };
}
