/**
 * What a user is told while writing a Memcached, beyond what the definition can say.
 *
 * Refused is what servers of the named version cannot do, and another workload. Warned about is what restarts servers, with
 * the fields that do it, and what may not work. Nothing here guards anything: a server that knows no such flag exits, the
 * operator makes no second workload, and the condition Degraded says so. Hence `failurePolicy: Ignore`: an operator that is down keeps nobody from changing a Memcached.
 */
import { equalJson } from '@keelson/core';
import { type Finding, webhook } from '@keelson/runtime';
import { Memcached } from './api/memcached.ts';
import { rollingFields } from './change.ts';
import { desiredTemplate } from './desired.ts';
import { defaultImage } from './desired-pod.ts';
import { gatedArgs } from './server-version.ts';

type Spec = Memcached['spec'];

export const memcachedWebhook = webhook(Memcached, {
  failurePolicy: 'Ignore',
  timeoutSeconds: 5,
  validate: ({ object, oldObject }) =>
    oldObject === undefined
      ? [...gateFindings(object.spec), ...warmupFindings(object.spec)]
      : changeFindings(object as Memcached, oldObject),
});

function changeFindings(after: Memcached, before: Memcached): readonly Finding<typeof Memcached>[] {
  if (equalJson(after.spec, before.spec)) return [];
  const [args, argsBefore] = [after, before].map(({ spec }) => [spec.image, spec.config?.extraArgs]);
  return [
    ...workloadFindings(after.spec, before.spec),
    // What is there already is refused no more, or nothing else could be changed about it.
    ...(equalJson(args, argsBefore) ? [] : gateFindings(after.spec)),
    ...warmupFindings(after.spec),
    ...rollFindings(after, before),
  ];
}

/** v1alpha1 has no such field, so its rules do not see that a replacement without the annotation changes it. */
function workloadFindings({ workload }: Spec, before: Spec): readonly Finding<typeof Memcached>[] {
  if (workload === before.workload) return [];
  const message = `it is ${before.workload}, and cannot be changed; in v1alpha1, keep the annotations of what you replace`;
  return [{ field: 'spec.workload', message }];
}

/** Flags that the version of the image does not know, or may not. */
function gateFindings({ image = defaultImage, config }: Spec): readonly Finding<typeof Memcached>[] {
  return gatedArgs(image, config?.extraArgs ?? []).map(({ index, what, since, version }) =>
    version === undefined
      ? {
          warning: `spec.config.extraArgs[${index}]: ${what} needs memcached ${since}; spec.image does not say its version`,
        }
      : {
          field: `spec.config.extraArgs[${index}]`,
          message: `${what} needs memcached ${since} or newer, and the image has ${version}`,
        },
  );
}

/** Servers that talk to nobody who does not encrypt or log in cannot be asked whether they are warm. */
function warmupFindings({ config, rollout }: Spec): readonly Finding<typeof Memcached>[] {
  const isClosed = config?.extraArgs?.some((arg) => /^-[vLMCFXW]*[ZYS]|^--(enable-s[as]|auth-f)/.test(arg)) ?? false;
  if (rollout?.warmup === undefined || !isClosed) return [];
  return [
    { warning: 'spec.rollout.warmup: servers with TLS or a login tell no stats; each is waited for until the timeout' },
  ];
}

function rollFindings(after: Memcached, before: Memcached): readonly Finding<typeof Memcached>[] {
  const fields = rollingFields(desiredTemplate(before), desiredTemplate(after));
  if (fields === undefined) return [];
  const { paused, updatePolicy, size } = after.spec;
  const because =
    fields.length > 4 ? `${fields.slice(0, 3).join(', ')} and ${fields.length - 3} more` : fields.join(', ');
  const what =
    size === 1 ? 'the server is replaced and starts empty' : `all ${size} servers are replaced, each starts empty`;
  if (paused) return [{ warning: `${what} once spec.paused is false: ${because}` }];
  if (updatePolicy === 'Manual') return [{ warning: `${what} once you let it go, as status.change says: ${because}` }];
  return [{ warning: `${what}: ${because}` }];
}
