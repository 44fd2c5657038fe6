/** What is wrong with the way to a webhook, as configurations of admission and definitions of resources say it. */
import { invalidValue, label1035Problems, type Problem, required, subdomainProblems } from '@keelson/schema/validation';
import type { ClientConfig } from '../../../webhooks/client-config.ts';

export function clientConfigProblems({ url, service }: ClientConfig, field: string): readonly Problem[] {
  if ((url === undefined) === (service === undefined)) {
    return [required(field, 'exactly one of url or service is required')];
  }
  return url === undefined ? serviceProblems(service ?? {}, `${field}.service`) : urlProblems(url, `${field}.url`);
}

const form = '; desired format: https://host[/path]';

function urlProblems(text: string, field: string): readonly Problem[] {
  // Read by hand, since Go finds parts in texts that are no URL to others.
  const parts =
    /^(?:(?<scheme>[a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?<authority>[^/?#]*))?[^?#]*(?:\?(?<query>[^#]*))?(?:#(?<fragment>.*))?$/s.exec(
      text,
    )?.groups ?? {};
  const { scheme = '', authority = '', query = '', fragment = '' } = parts;
  const at = authority.lastIndexOf('@');
  const [user, host] = at === -1 ? [undefined, authority] : [authority.slice(0, at), authority.slice(at + 1)];
  return [
    ...(scheme === 'https' ? [] : [invalidValue(field, scheme, `'https' is the only allowed URL scheme${form}`)]),
    ...(host === '' ? [invalidValue(field, host, `host must be specified${form}`)] : []),
    ...(user === undefined ? [] : [invalidValue(field, user, 'user information is not permitted in the URL')]),
    ...(fragment === '' ? [] : [invalidValue(field, fragment, 'fragments are not permitted in the URL')]),
    ...(query === '' ? [] : [invalidValue(field, query, 'query parameters are not permitted in the URL')]),
  ];
}

function serviceProblems(service: Partial<NonNullable<ClientConfig['service']>>, field: string): readonly Problem[] {
  const { namespace = '', name = '', path = '', port = 443 } = service;
  return [
    // The real server takes the one for the other, and misses the name where there is no namespace.
    ...(namespace === '' ? [required(`${field}.name`)] : []),
    ...(name === '' ? [required(`${field}.namespace`)] : []),
    ...(port >= 1 && port <= 65535
      ? []
      : [invalidValue(`${field}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive')]),
    ...pathProblems(path, `${field}.path`),
  ];
}

function pathProblems(path: string, field: string): readonly Problem[] {
  if (path === '' || path === '/') return [];
  if (path === '//') return [invalidValue(field, path, 'segment[0] may not be empty')];
  const segments = path.slice(1).replace(/\/$/, '').split('/');
  return [
    ...(path.startsWith('/') ? [] : [invalidValue(field, path, "must start with a '/'")]),
    ...segments.flatMap((segment, index) =>
      segment === ''
        ? [invalidValue(field, path, `segment[${index}] may not be empty`)]
        : subdomainProblems(segment).map((why) => invalidValue(field, path, `segment[${index}]: ${why}`)),
    ),
  ];
}

const known = ['v1', 'v1beta1'];

/** Reviews are spoken in one of these. */
export function reviewVersionProblems(
  versions: readonly string[],
  field: string,
  whenNone = `must specify one of ${known.join(', ')}`,
): readonly Problem[] {
  if (versions.length === 0) return [required(field, whenNone)];
  const each = versions.flatMap((version, index) => {
    const at = `${field}[${index}]`;
    if (versions.indexOf(version) < index) return [invalidValue(at, version, 'duplicate version')];
    return label1035Problems(version).map((why) => invalidValue(at, version, why));
  });
  if (versions.some((version) => known.includes(version))) return each;
  return [...each, invalidValue(field, versions, `must include at least one of ${known.join(', ')}`)];
}
