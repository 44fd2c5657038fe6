/**
 * In which form a client wants its answer: the object itself, its metadata alone, or a table.
 *
 * Made as JSON, and turned into YAML at the end for who prefers that; a client that accepts only protobuf or CBOR is told
 * what there is.
 */
import { notAcceptable, StatusError } from '../status.ts';

export type Form =
  | { readonly type: 'object' }
  | { readonly type: 'partial'; readonly version: 'v1' | 'v1beta1'; readonly isList: boolean }
  | { readonly type: 'table'; readonly version: 'v1' | 'v1beta1' };

interface Clause {
  readonly mediaType: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly quality: number;
}

/** The clauses of an Accept header, the most wanted first. */
export function acceptClauses(header: string): readonly Clause[] {
  const clauses = header.split(',').flatMap((text): Clause[] => {
    const [mediaType = '', ...rest] = text.split(';').map((part) => part.trim());
    if (mediaType === '') return [];
    const parameters: Record<string, string> = {};
    for (const part of rest) {
      const [name = '', value = ''] = part.split('=');
      parameters[name.trim().toLowerCase()] = value.trim();
    }
    const { q, ...others } = parameters;
    return [{ mediaType: mediaType.toLowerCase(), parameters: others, quality: q === undefined ? 1 : Number(q) || 0 }];
  });
  return clauses
    .map((clause, index) => ({ clause, index }))
    .sort((a, b) => b.clause.quality - a.clause.quality || a.index - b.index)
    .map(({ clause }) => clause);
}

const readable = ['application/json', 'application/yaml'];

const isReadable = (mediaType: string): boolean =>
  readable.includes(mediaType) || mediaType === 'application/*' || mediaType === '*/*';

/** Whether YAML is what the client wants most of what we have. */
export const prefersYaml = (accept: string | undefined): boolean =>
  acceptClauses(accept ?? '').find(({ mediaType }) => isReadable(mediaType))?.mediaType === 'application/yaml';

/** A type that no path of the server can give, as it says before it looks any further. */
const nothingAcceptable = (available: readonly string[]) =>
  new StatusError(
    406,
    'NotAcceptable',
    `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`,
    {},
  );

/** Refuses a client that cannot read the only type that a path has. */
export function assertAcceptable(type: string, accept = ''): void {
  const clauses = acceptClauses(accept);
  const isAccepted = clauses.some(({ mediaType }) => [type, 'application/*', '*/*'].includes(mediaType));
  if (clauses.length > 0 && !isAccepted) throw nothingAcceptable([type]);
}

const forms: Readonly<Record<string, 'partial' | 'table'>> = {
  Table: 'table',
  PartialObjectMetadata: 'partial',
  PartialObjectMetadataList: 'partial',
};

/** The first form that the client accepts and we have; what is no stored object has no table. */
export function negotiate(accept: string | undefined, { tables = true } = {}): Form {
  if (accept === undefined || accept.trim() === '') return { type: 'object' };
  const clauses = acceptClauses(accept).filter(({ mediaType }) => isReadable(mediaType));
  if (clauses.length === 0) throw nothingAcceptable(readable);
  for (const { parameters } of clauses) {
    const { as = '', g, v } = parameters;
    if (as === '') {
      if (g === undefined && v === undefined) return { type: 'object' };
      continue;
    }
    const type = forms[as];
    if (type === 'table' && !tables) continue;
    if (type === undefined || g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1')) continue;
    return type === 'partial' ? { type, version: v, isList: as.endsWith('List') } : { type, version: v };
  }
  throw notAcceptable(readable);
}
