/** What a user wants to do, as rules speak of it, and the refusal of it. */

import { type FieldRequirement, parseFieldSelector } from '@keelson/core';
import { pathSegmentProblems } from '@keelson/schema/validation';
import type { RequestInfo } from '../request/request-info.ts';
import type { User } from '../request/user.ts';
import { forbidden, type StatusError } from '../status.ts';

export interface ResourceAttributes {
  readonly type: 'resource';
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty for a cluster-scoped resource and for all namespaces. */
  readonly namespace: string;
  /** Empty where no single object is meant. */
  readonly name: string;
}

interface PathAttributes {
  readonly type: 'other';
  readonly verb: string;
  readonly path: string;
}

export type Attributes = ResourceAttributes | PathAttributes;

/** A list or watch that can find one object only, by its name, is about that object. */
export function attributesOf(info: RequestInfo, query: URLSearchParams): Attributes {
  if (info.type === 'other' || info.name !== '' || info.watchPath) return info;
  if (info.verb !== 'list' && info.verb !== 'watch') return info;
  const name = selectedName(query.get('fieldSelector') ?? '');
  return name === '' || pathSegmentProblems(name, false).length > 0 ? info : { ...info, name };
}

function selectedName(fields: string): string {
  try {
    const isName = ({ field, operator }: FieldRequirement) => field === 'metadata.name' && operator === '=';
    return parseFieldSelector(fields).find(isName)?.value ?? '';
  } catch {
    return ''; // whoever may list is told what is wrong with it
  }
}

/** Texts in refusals must not be taken for markup. */
const safe = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Names who wanted to do what and where; `reason` is what the rules have to say about it. */
export function refusal(user: User, wanted: Attributes, reason = ''): StatusError {
  const who = `User ${JSON.stringify(user.name)} cannot ${wanted.verb}`;
  const because = reason === '' ? '' : `: ${reason}`;
  if (wanted.type === 'other') {
    const why = `${safe(`${who} path ${JSON.stringify(wanted.path)}`)}${because}`;
    return forbidden({ group: '', name: '' }, '', why);
  }
  const { group, resource, subresource, namespace, name } = wanted;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const why = `${who} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
  return forbidden({ group, name: resource }, name, `${safe(why)}${because}`);
}
