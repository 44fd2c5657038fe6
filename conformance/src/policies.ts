/**
 * Admission policies that concern the objects of one case alone: of one name, in the case's namespace.
 *
 * A real server follows a policy a second after it was written, and a while after it was deleted, so that whoever sees
 * what one does waits for it, and no two cases share a name.
 */
import type { Answer, Fields, Refusal } from './exchange.ts';
import { configMap } from './objects.ts';
import { configMaps } from './paths.ts';
import type { Trial } from './trial.ts';

export type PolicyType = 'Validating' | 'Mutating';

export const policyPath = (type: PolicyType): string =>
  `/apis/admissionregistration.k8s.io/v1/${type.toLowerCase()}admissionpolicies`;
export const bindingPath = (type: PolicyType): string =>
  `/apis/admissionregistration.k8s.io/v1/${type.toLowerCase()}admissionpolicybindings`;

/** Stores nothing. */
export const dryRun = { query: { dryRun: 'All' } };

export interface PolicyOptions {
  /** Changes the rule, which is about ConfigMaps of the policy's name. */
  readonly rule?: Fields;
  readonly constraints?: Fields;
  readonly binding?: Fields;
}

/** A policy with its binding; its name is also that of the object that it is about. */
export class Policed {
  readonly t: Trial;
  readonly type: PolicyType;
  readonly namespace: string;
  readonly name: string;

  constructor(t: Trial, type: PolicyType, namespace: string, name: string) {
    this.t = t;
    this.type = type;
    this.namespace = namespace;
    this.name = name;
  }

  /** The object that the policy is about, if it is written. */
  create(data: Fields = { a: 'b' }, metadata: Fields = {}): Promise<Answer> {
    return this.t.post(configMaps(this.namespace), configMap(this.name, data, metadata), dryRun);
  }

  /** Waits until the server follows the policy and refuses the object so. */
  async refuses(message: string, more: Partial<Refusal> = {}): Promise<void> {
    await this.t.eventually(async () => (await this.create()).refuses(this.denial(message, more)));
  }

  denial(message: string, { code = 422, reason = 'Invalid' }: Partial<Refusal> = {}): Refusal {
    const { name } = this;
    const why = `ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: ${message}`;
    return {
      code,
      reason,
      message: `configmaps "${name}" is forbidden: ${why}`,
      details: { name, kind: 'configmaps', causes: [{ message: why }] },
    };
  }

  /** Waits until the server follows the policy and warns of the object so, and of nothing else. */
  async warns(messages: readonly string[], send: () => Promise<Answer> = () => this.create()): Promise<void> {
    await this.t.eventually(async () => this.warned(await send(), messages));
  }

  warned(answer: Answer, messages: readonly string[]): void {
    const prefix = `Validation failed for ValidatingAdmissionPolicy '${this.name}' with binding '${this.name}': `;
    const headers = messages.map((each) => `299 - "${quoted(`${prefix}${each}`)}"`);
    answer.judge(answer.warnings, headers, 'warnings');
  }
}

const quoted = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');

/** Makes a policy about ConfigMaps, or about what `rule` says, of one name in one namespace. */
async function policed(
  t: Trial,
  type: PolicyType,
  spec: Fields,
  { rule = {}, constraints = {}, binding = {} }: PolicyOptions = {},
): Promise<Policed> {
  const namespace = await t.namespace();
  const name = t.name('policy');
  const resourceRules = [
    {
      apiGroups: [''],
      apiVersions: ['v1'],
      operations: ['*'],
      resources: ['configmaps'],
      resourceNames: [name],
      ...rule,
    },
  ];
  const matchConstraints = { resourceRules, ...constraints };
  const policy = { metadata: { name }, spec: { matchConstraints, ...spec } };
  (await t.post(policyPath(type), policy)).is(201);
  (await t.post(bindingPath(type), { metadata: { name }, spec: { policyName: name, ...binding } })).is(201);
  return new Policed(t, type, namespace, name);
}

/** A ValidatingAdmissionPolicy that refuses. */
export const denying = (t: Trial, spec: Fields, { binding, ...options }: PolicyOptions = {}): Promise<Policed> =>
  policed(t, 'Validating', spec, { ...options, binding: { validationActions: ['Deny'], ...binding } });

/** A ValidatingAdmissionPolicy that warns: of all that is wrong, where a refusal has room for one thing. */
export const warning = (t: Trial, spec: Fields, { binding, ...options }: PolicyOptions = {}): Promise<Policed> =>
  policed(t, 'Validating', spec, { ...options, binding: { validationActions: ['Warn'], ...binding } });

/** Validations that always fail, and say what these expressions give. */
export const showing = (...expressions: readonly string[]): Fields => ({
  validations: expressions.map((messageExpression) => ({ expression: 'false', messageExpression })),
});

/** A MutatingAdmissionPolicy. */
export const mutating = (t: Trial, spec: Fields, options: PolicyOptions = {}): Promise<Policed> =>
  policed(t, 'Mutating', { reinvocationPolicy: 'Never', ...spec }, options);

export const applying = (...expressions: readonly string[]): Fields => ({
  mutations: expressions.map((expression) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } })),
});

export const patching = (...expressions: readonly string[]): Fields => ({
  mutations: expressions.map((expression) => ({ patchType: 'JSONPatch', jsonPatch: { expression } })),
});
