/**
 * Operators under their own rules: a service account with what follows from the declarations, and no more.
 *
 * What an operator may not do in a test it may not do in production either. So a refusal fails the test, with what to
 * declare: a real cluster would show the same weeks later, as a line in a log.
 */
import type { Client } from '@keelson/client';
import { applyAccount, type Cluster } from '@keelson/cluster';
import {
  declarationFor,
  missingRightIn,
  type Operator,
  printRight,
  rulesOf,
  type Transport,
  type TransportResponse,
} from '@keelson/core';

/** Where operators are. */
export const operatorsNamespace = 'operators';

/** Makes the operator's account; returns the way in with its rights. */
export async function underOwnRules(cluster: Cluster, client: Client, operator: Operator): Promise<Transport> {
  const account = { namespace: operatorsNamespace, name: operator.name, rules: rulesOf(operator) };
  const user = await applyAccount(client, account);
  return cluster.transportAs({ name: user, groups: [] });
}

export interface RefusalOptions {
  /** Whose requests they are. */
  readonly operator: Operator;
  /** Knows what kind a resource is. */
  readonly administrator: Client;
  readonly onRefused: (error: Error) => void;
}

/** Reports every answer that the rules do not allow something; other refusals (a quota, a namespace that goes) pass. */
export function reportingRefusals(transport: Transport, options: RefusalOptions): Transport {
  return {
    async request(request) {
      const response = await transport.request(request);
      if (response.status !== 403) return response;
      const body = await textOf(response);
      const message = messageIn(body);
      if (isAboutRules.test(message)) options.onRefused(await refusal(options, request.path, message));
      return { ...response, body: oneChunk(body) };
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

const isAboutRules = /cannot \S+ resource|cannot set an ownerRef|cannot set blockOwnerDeletion|grant RBAC permissions/;

/** What to add is said in the words of a declaration. */
async function refusal({ operator, administrator }: RefusalOptions, path: string, message: string): Promise<Error> {
  const { name, controllers } = operator;
  const missing = missingRightIn(message);
  if (missing === undefined)
    return new Error(`${name} was refused, and its rules follow from its declarations: ${message}`);
  const { verb, group, resource, subresource } = missing;
  const kind = await kindName(administrator, path, resource);
  const rule = {
    apiGroups: [group],
    resources: [subresource ? `${resource}/${subresource}` : resource],
    verbs: [verb],
  };
  return new Error(
    [
      `${name} may not ${printRight(missing)}: its rules follow from its declarations, and none asks for it.`,
      `Add to its controller: ${declarationFor(missing, kind, controllers)}`,
      `which is the rule ${JSON.stringify(rule)}.`,
      `The server said: ${message}`,
    ].join('\n'),
  );
}

/** The kind of a resource, which only discovery knows. */
async function kindName(administrator: Client, path: string, plural: string): Promise<string> {
  const [groupVersion] = /^\/(api\/[^/]+|apis\/[^/]+\/[^/]+)/.exec(path) ?? [];
  if (groupVersion === undefined) return `<the kind of ${plural}>`;
  const { resources = [] } = (await administrator.getRaw(groupVersion)) as {
    readonly resources?: readonly { readonly name: string; readonly kind: string }[];
  };
  return resources.find((each) => each.name === plural)?.kind ?? `<the kind of ${plural}>`;
}

function messageIn(body: string): string {
  try {
    return (JSON.parse(body) as { readonly message?: string }).message ?? body;
  } catch {
    return body;
  }
}

async function textOf({ body }: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function* oneChunk(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
