/** Query parameters as options of a verb: read, defaulted and checked, with the refusals of the real server. */
import {
  forbiddenField,
  invalidValue,
  managerProblems,
  type Problem,
  required,
  unsupportedValue,
} from '@keelson/schema/validation';
import { compact, isObject, type JsonObject } from '../object.ts';
import { isTrue } from '../request/request-info.ts';
import type { DeleteOptions, Propagation } from '../resource/write.ts';
import { badRequest, invalidOptions, StatusError } from '../status.ts';

export function optionalInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = BigInt(text.replace('+', ''));
  if (value !== BigInt.asIntN(64, value)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  }
  return Number(value);
}

const boolean = (query: URLSearchParams, name: string): boolean | undefined =>
  query.has(name) ? isTrue(query.get(name)) : undefined;

export interface ListOptions {
  readonly labels: string;
  readonly fields: string;
  readonly watch: boolean;
  readonly allowBookmarks: boolean;
  /** Empty, `0` or a number. */
  readonly resourceVersion: string;
  readonly match: '' | 'Exact' | 'NotOlderThan';
  readonly timeoutSeconds: number | undefined;
  readonly limit: number;
  readonly continueToken: string;
  readonly sendInitialEvents: boolean | undefined;
}

export function listOptions(query: URLSearchParams, watch: boolean): ListOptions {
  const options = {
    labels: query.get('labelSelector') ?? '',
    fields: query.get('fieldSelector') ?? '',
    watch,
    allowBookmarks: boolean(query, 'allowWatchBookmarks') ?? false,
    resourceVersion: query.get('resourceVersion') ?? '',
    match: query.get('resourceVersionMatch') ?? '',
    timeoutSeconds: optionalInteger(query, 'timeoutSeconds'),
    limit: Math.max(optionalInteger(query, 'limit') ?? 0, 0),
    continueToken: query.get('continue') ?? '',
    sendInitialEvents: boolean(query, 'sendInitialEvents'),
  };
  // A watch that names no state begins with all that there is, which newer clients ask for by name.
  const fromAny = options.resourceVersion === '' || options.resourceVersion === '0';
  if (watch && fromAny && options.sendInitialEvents === undefined && options.match === '') {
    options.sendInitialEvents = true;
    options.match = 'NotOlderThan';
  }
  const causes = watch ? watchProblems(options) : listProblems(options);
  if (causes.length > 0) throw invalidOptions('ListOptions', causes);
  return options as ListOptions;
}

interface Unchecked {
  readonly resourceVersion: string;
  readonly match: string;
  readonly continueToken: string;
  readonly sendInitialEvents: boolean | undefined;
}

function listProblems({ match, resourceVersion, continueToken, sendInitialEvents }: Unchecked): readonly Problem[] {
  const field = 'resourceVersionMatch';
  const causes: Problem[] = [];
  if (match !== '') {
    if (resourceVersion === '') {
      causes.push(forbiddenField(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (continueToken !== '') {
      causes.push(forbiddenField(field, 'resourceVersionMatch is forbidden when continue is provided'));
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      causes.push(unsupportedValue(field, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && resourceVersion === '0') {
      causes.push(forbiddenField(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (sendInitialEvents !== undefined) {
    causes.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return causes;
}

function watchProblems({ match, continueToken, sendInitialEvents }: Unchecked): readonly Problem[] {
  const field = 'resourceVersionMatch';
  const causes: Problem[] = [];
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    causes.push(forbiddenField(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match === '') return causes;
  if (sendInitialEvents === undefined) {
    causes.push(
      forbiddenField(field, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
    );
  }
  if (match !== 'NotOlderThan') causes.push(unsupportedValue(field, match, ['NotOlderThan']));
  if (continueToken !== '') {
    causes.push(forbiddenField(field, 'resourceVersionMatch is forbidden when continue is provided'));
  }
  return causes;
}

/** A resourceVersion as a number; 0 for none. What is no number is the server's fault to a GET, and a list's own. */
export function parseResourceVersion(text: string, isList = false): number {
  if (text === '') return 0;
  if (/^\d+$/.test(text)) return Number(text);
  const quoted = JSON.stringify(text);
  const why = `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`;
  throw isList ? badRequest(`invalid resource version: ${why}`) : new StatusError(500, '', why);
}

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean | undefined;
  /** As admitters are told of them: only what was given. */
  readonly given: JsonObject;
}

const dryRunProblems = (values: readonly string[]): readonly Problem[] =>
  values.every((value) => value === 'All') ? [] : [unsupportedValue('dryRun', values, ['All'])];

/** Options of create, update and patch; `kind` is what the refusal calls them. */
export function writeOptions(
  query: URLSearchParams,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  isApply = false,
): WriteOptions {
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  const fieldManager = query.get('fieldManager') ?? '';
  const fieldValidation = query.get('fieldValidation') ?? '';
  const force = boolean(query, 'force');
  const causes: Problem[] = [];
  if (kind === 'PatchOptions') {
    if (isApply && fieldManager === '') causes.push(required('fieldManager', 'is required for apply patch'));
    if (!isApply && force !== undefined) {
      causes.push(forbiddenField('force', 'may not be specified for non-apply patch'));
    }
  }
  causes.push(...managerProblems(fieldManager, 'fieldManager'), ...dryRunProblems(dryRun));
  if (!['', 'Ignore', 'Warn', 'Strict'].includes(fieldValidation)) {
    causes.push(unsupportedValue('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn']));
  }
  if (causes.length > 0) throw invalidOptions(kind, causes);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: (fieldValidation || 'Warn') as FieldValidation,
    force,
    given: {
      ...(dryRun.length > 0 && { dryRun }),
      ...(fieldManager !== '' && { fieldManager }),
      ...(fieldValidation !== '' && { fieldValidation }),
    },
  };
}

export interface DeleteRequestOptions extends DeleteOptions {
  readonly dryRun: boolean;
  /** As admitters are told of them: only what was given. */
  readonly given: JsonObject;
}

/** From the body if there is one, else from the query. */
export function deleteOptions(query: URLSearchParams, body: JsonObject | undefined): DeleteRequestOptions {
  const options = body === undefined ? fromQuery(query) : fromBody(body);
  const { propagation, orphanDependents, dryRun } = options;
  const causes: Problem[] = [];
  if (orphanDependents !== undefined && propagation !== undefined) {
    causes.push(
      invalidValue('propagationPolicy', propagation, 'orphanDependents and deletionPropagation cannot be both set'),
    );
  }
  if (propagation !== undefined && !['Foreground', 'Background', 'Orphan'].includes(propagation)) {
    causes.push(unsupportedValue('propagationPolicy', propagation, ['Foreground', 'Background', 'Orphan', 'nil']));
  }
  causes.push(...dryRunProblems(dryRun));
  if (causes.length > 0) throw invalidOptions('DeleteOptions', causes);
  const { gracePeriodSeconds, preconditions } = options;
  return {
    ...options,
    dryRun: dryRun.length > 0,
    propagation: propagation as Propagation | undefined,
    given: {
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      ...(Object.values(preconditions).some((each) => each !== undefined) && { preconditions: compact(preconditions) }),
      ...(orphanDependents !== undefined && { orphanDependents }),
      ...(propagation !== undefined && { propagationPolicy: propagation }),
      ...(dryRun.length > 0 && { dryRun }),
    },
  };
}

interface UncheckedDelete extends Omit<DeleteOptions, 'propagation'> {
  readonly dryRun: readonly string[];
  readonly propagation: string | undefined;
}

function fromQuery(query: URLSearchParams): UncheckedDelete {
  return {
    dryRun: query.getAll('dryRun').filter((value) => value !== ''),
    gracePeriodSeconds: optionalInteger(query, 'gracePeriodSeconds'),
    propagation: query.get('propagationPolicy') ?? undefined,
    orphanDependents: boolean(query, 'orphanDependents'),
    preconditions: {},
  };
}

function fromBody(body: JsonObject): UncheckedDelete {
  const { dryRun, gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions } = body;
  const wrong = (field: string, value: unknown, type: string) =>
    badRequest(
      `json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value} into Go struct field DeleteOptions.${field} of type ${type}`,
    );
  if (gracePeriodSeconds !== undefined && gracePeriodSeconds !== null && typeof gracePeriodSeconds !== 'number') {
    throw wrong('gracePeriodSeconds', gracePeriodSeconds, 'int64');
  }
  if (propagationPolicy !== undefined && propagationPolicy !== null && typeof propagationPolicy !== 'string') {
    throw wrong('propagationPolicy', propagationPolicy, 'v1.DeletionPropagation');
  }
  if (orphanDependents !== undefined && orphanDependents !== null && typeof orphanDependents !== 'boolean') {
    throw wrong('orphanDependents', orphanDependents, 'bool');
  }
  if (dryRun !== undefined && dryRun !== null && !Array.isArray(dryRun)) throw wrong('dryRun', dryRun, '[]string');
  const conditions = isObject(preconditions) ? preconditions : {};
  return {
    dryRun: ((dryRun ?? []) as readonly unknown[]).map(String),
    gracePeriodSeconds: gracePeriodSeconds ?? undefined,
    propagation: propagationPolicy ?? undefined,
    orphanDependents: orphanDependents ?? undefined,
    preconditions: {
      uid: typeof conditions.uid === 'string' ? conditions.uid : undefined,
      resourceVersion: typeof conditions.resourceVersion === 'string' ? conditions.resourceVersion : undefined,
    },
  };
}
