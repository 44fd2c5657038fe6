/** The differences between CRDs of controller-gen and ours that are meant; docs/schema.md gives the reasons. */
import { isDeepStrictEqual } from 'node:util';
import type { Difference } from './difference.ts';

const root = /^\w+\.spec\.versions\.\w+\.schema\.openAPIV3Schema/.source;
const at = (path: string, { path: found }: Difference) => new RegExp(`${root}${path}$`).test(found);
const onlyOurs = ({ theirs, ours }: Difference, value: unknown) =>
  theirs === undefined && isDeepStrictEqual(ours, value);

export const knownDifferences: Readonly<Record<string, (difference: Difference) => boolean>> = {
  descriptions: ({ path }) => path.endsWith('.description'),
  'the version of the generator': ({ path, ours }) => /\.metadata\.annotations\b/.test(path) && ours === undefined,
  'fields that every object has': (each) =>
    at('\\.properties\\.(apiVersion|kind|metadata)', each) && each.ours === undefined,
  'a spec that may be left out': (each) =>
    (at('\\.properties\\.spec\\.default', each) && onlyOurs(each, {})) ||
    (at('\\.required', each) && isDeepStrictEqual(each.theirs, ['spec']) && each.ours === undefined),
  'the observed generation': (each) =>
    at('\\.properties\\.status\\.properties\\.observedGeneration(\\.minimum)?', each),
  'the age': ({ path, theirs }) => /\.additionalPrinterColumns(\.Age)?$/.test(path) && theirs === undefined,
  'an integer or a text': ({ path, theirs, ours }) =>
    path.endsWith('.anyOf') &&
    isDeepStrictEqual(theirs, [{ type: 'integer' }, { type: 'string' }]) &&
    ours === undefined,
  'objects without named fields': (each) => each.path.endsWith('.properties') && onlyOurs(each, {}),
  'words of the rules on several fields': ({ path, theirs, ours }) =>
    path.endsWith('.rule')
      ? String(theirs).replaceAll(' ', '') === String(ours).replaceAll(' ', '')
      : path.endsWith('.message') && /^(exactly|at most|at least) one of /.test(String(ours)),
  'the pattern of a quantity': ({ path, theirs }) => path.endsWith('.pattern') && String(theirs).includes('[KMGTPE]i'),
  'defaults of built-in types': ({ path, ours }) => /^Workload\..*\.default$/.test(path) && ours === undefined,
  'metadata of a template': ({ path, theirs }) =>
    /emplate\.properties\.metadata\.properties$/.test(path) && theirs === undefined,
  'references that are merged whole': ({ path, theirs, ours }) =>
    /^Workload\..*\.x-kubernetes-map-type$/.test(path) && theirs === 'atomic' && ours === undefined,
};
