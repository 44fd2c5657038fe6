/**
 * A definition whose versions a process outside of the cluster converts for a while, and what it is afterwards. Pure.
 *
 * Promises: in which version objects are stored stays as it was, so whoever knows only that one needs no conversion and
 * notices nothing, whatever becomes of the process. Afterwards the definition says what it said before; where it was not
 * there before, only its stored version is served, which needs no conversion. Nothing is ever dropped for want of one.
 */
import { isObject, type ObjectOf } from '@keelson/core';
import type {
  CustomResourceConversion,
  CustomResourceDefinition,
  NewCustomResourceDefinition,
  ServiceReference,
} from '@keelson/core/apiextensions/v1';

export type Installed = ObjectOf<typeof CustomResourceDefinition>;

/** Says on the definition itself who converts for now, and what was there before. */
const loanAnnotation = 'keelson-run/conversion';

export interface Loan {
  readonly owner: string;
  readonly url: string;
  /** What is put back. */
  readonly before: {
    readonly conversion: CustomResourceConversion;
    /** The versions that were served. */
    readonly served: readonly string[];
  };
}

/** The loan that is in force, if there is one: an annotation that the definition no longer follows is none. */
export function loanOf({ metadata, spec }: Installed): Loan | undefined {
  const loan = parsed(metadata.annotations?.[loanAnnotation]);
  return loan?.url === spec.conversion?.webhook?.clientConfig?.url ? loan : undefined;
}

/** Whom the definition has its versions converted by, of those who are none of ours. */
export type Converter =
  | { readonly type: 'nobody' }
  | { readonly type: 'service'; readonly service: ServiceReference }
  | { readonly type: 'url'; readonly url: string; readonly owner: string | undefined };

export function converterOf(installed: Installed, owner: string): Converter {
  const { service, url = '' } = installed.spec.conversion?.webhook?.clientConfig ?? {};
  const loan = loanOf(installed);
  if (installed.spec.conversion?.strategy !== 'Webhook' || loan?.owner === owner) return { type: 'nobody' };
  return service === undefined ? { type: 'url', url, owner: loan?.owner } : { type: 'service', service };
}

/** The definition, converted at the URL that it names; what is installed may be nothing. */
export function lent(
  definition: NewCustomResourceDefinition,
  installed: Installed | undefined,
  owner: string,
): NewCustomResourceDefinition {
  const url = definition.spec.conversion?.webhook?.clientConfig?.url ?? '';
  const before = installed === undefined ? alone(definition) : (loanOf(installed)?.before ?? beforeOf(installed));
  const loan: Loan = { owner, url, before };
  const { metadata } = installed ?? definition;
  const annotations = { ...metadata.annotations, [loanAnnotation]: JSON.stringify(loan) };
  return {
    ...definition,
    metadata: { ...metadata, annotations },
    spec: { ...definition.spec, versions: storedAs(definition, storedIn(installed)) },
  };
}

/** The definition as it was before it was lent. */
export function returned(installed: Installed, { before }: Loan): NewCustomResourceDefinition {
  const { [loanAnnotation]: _, ...annotations } = installed.metadata.annotations ?? {};
  const versions = installed.spec.versions.map((each) => ({ ...each, served: before.served.includes(each.name) }));
  return {
    ...installed,
    metadata: { ...installed.metadata, annotations },
    spec: { ...installed.spec, versions, conversion: before.conversion },
  };
}

const storedIn = (installed: Installed | undefined) => installed?.spec.versions.find(({ storage }) => storage)?.name;

/** With the stored version that is wished for, if there is such a version. */
function storedAs({ spec: { versions } }: NewCustomResourceDefinition, stored: string | undefined) {
  if (!versions.some(({ name }) => name === stored)) return versions;
  return versions.map((each) => ({ ...each, storage: each.name === stored }));
}

/** Without anybody who converts, a new definition serves what needs no conversion. */
const alone = ({ spec: { versions } }: NewCustomResourceDefinition): Loan['before'] => ({
  conversion: { strategy: 'None' },
  served: versions.filter(({ storage }) => storage).map(({ name }) => name),
});

/** Whoever serves behind a Service says anew whom to trust. */
function beforeOf({ spec }: Installed): Loan['before'] {
  const served = spec.versions.filter((each) => each.served).map(({ name }) => name);
  const { webhook } = spec.conversion ?? {};
  const { service } = webhook?.clientConfig ?? {};
  if (webhook === undefined || service === undefined) return { conversion: { strategy: 'None' }, served };
  const { conversionReviewVersions } = webhook;
  return {
    conversion: { strategy: 'Webhook', webhook: { clientConfig: { service }, conversionReviewVersions } },
    served,
  };
}

/** What somebody else wrote there is no loan. */
function parsed(text: string | undefined): Loan | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    const isLoan = isObject(value) && isObject(value.before) && Array.isArray(value.before.served);
    return isLoan ? (value as unknown as Loan) : undefined;
  } catch {
    return undefined;
  }
}
