/** What is in an image, as SPDX 2.3: its packages with versions and licences, for scanners. */
import { createHash } from 'node:crypto';
import type { BasePackage } from './base.ts';
import type { InstalledPackage } from './dependencies.ts';

export interface BillOptions {
  readonly name: string;
  readonly version: string;
  readonly created: string;
  readonly dependencies: readonly Pick<InstalledPackage, 'name' | 'version' | 'license'>[];
  readonly base: readonly BasePackage[];
}

export const billMediaType = 'application/spdx+json';

export function billOfMaterials({ name, version, created, dependencies, base }: BillOptions): Buffer {
  const parts = [
    ...base.map((each) => ({ ...each, license: undefined })),
    ...dependencies.map((each) => ({ ...each, purl: 'npm' as const })),
  ];
  const packages = parts.map((part) => ({
    SPDXID: idOf(`${part.purl}-${part.name}-${part.version}`),
    name: part.name,
    versionInfo: part.version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared: part.license ?? 'NOASSERTION',
    externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: packageUrl(part) }],
  }));
  const own = {
    SPDXID: idOf(`operator-${name}`),
    name,
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared: 'NOASSERTION',
  };
  const unique = [...new Map(packages.map((each) => [each.SPDXID, each])).values()];
  const content = createHash('sha256')
    .update(JSON.stringify([own, unique]))
    .digest('hex');
  return Buffer.from(
    `${JSON.stringify({
      spdxVersion: 'SPDX-2.3',
      dataLicense: 'CC0-1.0',
      SPDXID: 'SPDXRef-DOCUMENT',
      name: `${name}-${version}`,
      documentNamespace: `urn:keelson:${name}:${content}`,
      creationInfo: { created, creators: ['Tool: keelson'] },
      packages: [own, ...unique],
      relationships: [
        { spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: own.SPDXID },
        ...unique.map(({ SPDXID }) => ({
          spdxElementId: own.SPDXID,
          relationshipType: 'CONTAINS',
          relatedSpdxElement: SPDXID,
        })),
      ],
    })}\n`,
  );
}

/** Letters, digits, dots and dashes are all that an identifier may have. */
const idOf = (text: string) => `SPDXRef-${text.replace(/[^A-Za-z0-9.-]+/g, '-')}`;

function packageUrl({ purl, name, version }: BasePackage): string {
  const path = name.startsWith('@') ? `%40${name.slice(1)}` : encodeURIComponent(name);
  return `pkg:${purl}/${purl === 'deb' ? 'debian/' : ''}${path}@${encodeURIComponent(version)}`;
}
