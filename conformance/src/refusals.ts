/** The refusals that many cases expect, in the server's words. */
import type { Refusal } from './exchange.ts';

export interface Cause {
  readonly reason: string;
  readonly message: unknown;
  readonly field: string;
}

const reasons: Readonly<Record<string, string>> = {
  'Invalid value': 'FieldValueInvalid',
  'Required value': 'FieldValueRequired',
  'Unsupported value': 'FieldValueNotSupported',
  'Duplicate value': 'FieldValueDuplicate',
  'Too many': 'FieldValueTooMany',
  'Too long': 'FieldValueTooLong',
  Forbidden: 'FieldValueForbidden',
};

/** From the text in which the server lists it: `spec.size: Invalid value: -1: must be …`. */
export function causeOf(text: string): Cause {
  const at = text.indexOf(': ');
  const message = text.slice(at + 2);
  const reason = reasons[/^[A-Z][a-z]+( [a-z]+)?/.exec(message)?.[0] ?? ''];
  if (reason === undefined) throw new TypeError(`no cause: ${text}`);
  return { reason, message, field: text.slice(0, at) };
}

export function badRequest(message: unknown): Refusal {
  return { code: 400, reason: 'BadRequest', message };
}

/** `resource` is the plural, with its group if it has one: `deployments.apps`. */
export function notFound(resource: string, name: string): Refusal {
  const message = `${resource} "${name}" not found`;
  return { code: 404, reason: 'NotFound', message, details: detailsOf(resource, name) };
}

export function alreadyExists(resource: string, name: string): Refusal {
  const message = `${resource} "${name}" already exists`;
  return { code: 409, reason: 'AlreadyExists', message, details: detailsOf(resource, name) };
}

/** Someone else wrote first. */
export function modified(resource: string, name: string): Refusal {
  return conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

export function conflict(resource: string, name: string, why: string): Refusal {
  return {
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${resource} "${name}": ${why}`,
    details: detailsOf(resource, name),
  };
}

/** `kind` is the Kind, with its group if it has one: `Deployment.apps`. */
export function invalid(kind: string, name: string, ...causes: readonly Cause[]): Refusal {
  return {
    code: 422,
    reason: 'Invalid',
    message: `${kind} "${name}" is invalid: ${joined(causes)}`,
    details: { ...detailsOf(kind, name), causes },
  };
}

/**
 * Comes last where a schema with rules finds an error of type, of a required or unsupported value, or of a length:
 * the rules were not tried then. Errors of range or pattern do not have that effect.
 */
export const unchecked: Cause = {
  reason: 'FieldValueInvalid',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
  field: '<nil>',
};

export function invalidListOptions(...causes: readonly Cause[]): Refusal {
  return invalid('ListOptions.meta.k8s.io', '', ...causes);
}

export const noSuchResource: Refusal = {
  code: 404,
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
  details: {},
};

export const methodNotAllowed: Refusal = {
  code: 405,
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
  details: {},
};

function detailsOf(resource: string, name: string) {
  const [kind, ...group] = resource.split('.');
  return { ...(name ? { name } : {}), ...(group.length > 0 ? { group: group.join('.') } : {}), kind };
}

/** One cause stands alone; several are listed in brackets. The list says equal ones once, the causes repeat them. */
function joined(causes: readonly Cause[]): string {
  const lines = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  return lines.length === 1 ? String(lines[0]) : `[${lines.join(', ')}]`;
}
