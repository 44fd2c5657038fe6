/** What is in an image, as SPDX 2.3: its packages with versions and licences, for scanners. */
import { createHash } from 'node:crypto';
import type { BasePackage } from './base.ts';
import type { InstalledPackage } from './dependencies.ts';

export interface BillOptions {
  readonly name: string;
  readonly version: string;
  /** Of the operator itself. */
  readonly license?: string | undefined;
  readonly created: string;
  readonly dependencies: readonly Pick<InstalledPackage, 'name' | 'version' | 'license'>[];
  readonly base: readonly BasePackage[];
}

export const billMediaType = 'application/spdx+json';

export function billOfMaterials({ name, version, license, created, dependencies, base }: BillOptions): Buffer {
  const parts: readonly BasePackage[] = [...base, ...dependencies.map((each) => ({ ...each, purl: 'npm' as const }))];
  const own = described(`SPDXRef-operator-${idOf(name)}`, { name, version, license });
  const unique = new Map(parts.map((part) => [packageUrl(part), part]));
  const packages = [...unique].map(([url, part]) => ({
    ...described(`SPDXRef-${part.purl}-${idOf(`${part.name}-${part.version}`)}-${hashOf(url).slice(0, 8)}`, part),
    externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: url }],
  }));
  return Buffer.from(
    `${JSON.stringify({
      spdxVersion: 'SPDX-2.3',
      dataLicense: 'CC0-1.0',
      SPDXID: 'SPDXRef-DOCUMENT',
      name: `${name}-${version}`,
      documentNamespace: `urn:keelson:${encodeURIComponent(name)}:${hashOf(JSON.stringify([own, packages]))}`,
      creationInfo: { created, creators: ['Tool: keelson'] },
      packages: [own, ...packages],
      relationships: [
        { spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: own.SPDXID },
        ...packages.map(({ SPDXID }) => ({
          spdxElementId: own.SPDXID,
          relationshipType: 'CONTAINS',
          relatedSpdxElement: SPDXID,
        })),
      ],
    })}\n`,
  );
}

const described = (SPDXID: string, { name, version, license }: Omit<BasePackage, 'purl'>) => ({
  SPDXID,
  name,
  versionInfo: version,
  downloadLocation: 'NOASSERTION',
  filesAnalyzed: false,
  licenseConcluded: 'NOASSERTION',
  licenseDeclared: licenceOf(license),
});

/** Letters, digits, dots and dashes are all that an identifier may have. */
const idOf = (text: string) => text.replace(/[^A-Za-z0-9.-]+/g, '-');

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** What npm's field says if it is an expression of SPDX: it may be a sentence, too, and was an object long ago. */
function licenceOf(license: unknown): string {
  const isExpression =
    typeof license === 'string' &&
    license !== 'UNLICENSED' &&
    /^\(*[\w.+-]+\)*( (AND|OR|WITH) \(*[\w.+-]+\)*)*$/.test(license);
  return isExpression ? license : 'NOASSERTION';
}

function packageUrl({ purl, name, version, architecture }: BasePackage): string {
  const at = encodeURIComponent(version);
  switch (purl) {
    case 'npm':
      return `pkg:npm/${name.startsWith('@') ? `%40${name.slice(1)}` : encodeURIComponent(name)}@${at}`;
    case 'deb':
      return `pkg:deb/debian/${encodeURIComponent(name)}@${at}${architecture === undefined ? '' : `?arch=${architecture}`}`;
    case 'oci':
      return `pkg:oci/${name.split('/').at(-1)}@${at}?repository_url=${name}`;
    case 'generic':
      return `pkg:generic/${encodeURIComponent(name)}@${at}`;
    default:
      return purl satisfies never;
  }
}
