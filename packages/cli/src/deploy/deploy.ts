/** What `keelson deploy` does: builds the image if asked to, applies what was generated, and waits for the pods. */

import { systemClock } from '@keelson/core/system';
import type { GenerateOptions } from '@keelson/generate';
import { openCluster } from '../chosen-cluster.ts';
import { CommandError, Discrepancy, UsageError } from '../command-error.ts';
import { parseReference } from '../image/reference.ts';
import { installationOptions } from '../installation-options.ts';
import { loadOperator } from '../operator-module.ts';
import { json } from '../print.ts';
import type { Shell } from '../shell.ts';
import { applyAll } from './apply-objects.ts';
import { type Deployable, deployable } from './deployable.ts';
import { deployedObjects, lineOf, nameOf, type ObjectResult } from './deployed.ts';
import { requireNowhereElse } from './elsewhere.ts';
import type { DeployFlags } from './flags.ts';
import { removeDeployed } from './remove-deployed.ts';
import { awaitRollout, type Rollout } from './rollout.ts';

export async function deploy(flags: DeployFlags, shell: Shell): Promise<void> {
  const signal = shell.stopSignal();
  const module = await loadOperator({ cwd: shell.cwd, operator: flags.operator });
  const chosen = await installationOptions(module.place.folder);
  const named = flags.image ?? chosen.image;
  if (named === undefined) {
    throw new UsageError('nothing says which image', 'say --image registry.example.com/my-operator:1.0.0');
  }
  parseReference(named);
  const options = { ...chosen, namespace: flags.namespace ?? chosen.namespace };
  await using cluster = await openCluster(flags, shell);
  const client = cluster.client.with({ signal });
  const { server } = cluster.config;
  try {
    const image = flags.build ? await built(named, flags, shell) : named;
    const wanted = await wantedOf(module, { ...options, image }, flags, shell);
    const operator = module.operator.name;
    await requireNowhereElse(client, operator, wanted.deployment.namespace);
    const say = flags.output === 'json' ? () => {} : (each: ObjectResult) => shell.out(lineOf(each, shell));
    const applied = await applyAll(wanted, { client, operator, isForced: flags.forceConflicts ?? false }, say);
    const former = (await deployedObjects(client, operator)).objects.filter(
      (each) => !applied.some(({ object }) => object === nameOf(each)),
    );
    const timeoutMs = flags.timeout * 1000;
    const { deployment } = wanted;
    const whose = { name: operator, kinds: module.kinds, runsIn: deployment.namespace };
    const end = systemClock.monotonic() + timeoutMs;
    const removed = await removeDeployed(client, whose, former, { end, signal });
    for (const each of removed) say(each);
    const rollout = await awaitRollout({ client, deployment, timeoutMs, signal, shell });
    if (flags.output === 'json') {
      shell.out(json({ server, ...deployment, image, objects: [...applied, ...removed], ...rolloutOf(rollout) }));
      if (rollout.problem !== undefined) throw new Discrepancy();
      return;
    }
    if (rollout.problem !== undefined) throw failed(rollout, operator, shell);
    shell.out(readyText({ ...deployment, image, hasWebhooks: hasWebhooks(wanted) }, rollout, flags));
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CommandError('it was stopped, and what was applied stays', 'call again, and it goes on from there');
  }
}

async function built(image: string, flags: DeployFlags, shell: Shell): Promise<string> {
  const { pushed } = await import('../image/run.ts');
  const { digest } = (await pushed(image, flags, shell)).image.index;
  // By its digest: the same tag with another content is another image, and gets other pods.
  return `${image}@${digest}`;
}

/** A value that cannot be is a mistake in the command line, if it comes from there. */
async function wantedOf(
  module: Awaited<ReturnType<typeof loadOperator>>,
  options: GenerateOptions & { readonly image: string },
  { namespace }: DeployFlags,
  shell: Shell,
) {
  try {
    return await deployable(module, options, shell);
  } catch (error) {
    if (!(error instanceof RangeError) || namespace === undefined || !error.message.includes(`"${namespace}"`))
      throw error;
    throw new UsageError(error.message, undefined, { cause: error });
  }
}

function rolloutOf({ state, problem, log, tookMs, simulatedBy }: Rollout) {
  const pods = state.pods.map(({ name, isReady, text }) => ({ name, isReady, text }));
  const found = problem && { problem: problem.text, next: problem.next, log };
  return {
    isReady: state.isDone,
    seconds: Math.round(tookMs / 1000),
    pods,
    ...(simulatedBy && { simulatedBy }),
    ...found,
  };
}

function failed({ problem, log }: Rollout, operator: string, shell: Shell): CommandError {
  if (log.length > 0) shell.err(`${log.map((line) => `    ${line}\n`).join('')}`);
  const { text = '', next } = problem ?? {};
  return new CommandError(`${operator} is not ready: ${text}`, next);
}

/** Whether the API server asks the operator about something: what is admitted, or what another version has. */
const hasWebhooks = ({ definitions, objects }: Deployable): boolean =>
  objects.some(({ kind }) => kind.endsWith('WebhookConfiguration')) ||
  definitions.some(({ spec }) => spec.conversion?.strategy === 'Webhook');

function readyText(
  {
    namespace,
    name,
    image,
    hasWebhooks,
  }: Deployable['deployment'] & { readonly image: string; readonly hasWebhooks: boolean },
  { state, tookMs, simulatedBy }: Rollout,
  { kubeconfig, context }: DeployFlags,
): string {
  const which = [...(kubeconfig ? [`--kubeconfig ${kubeconfig}`] : []), ...(context ? [`--context ${context}`] : [])];
  const kubectl = ['kubectl', ...which].join(' ');
  const pods = state.wanted === 1 ? 'its pod is' : `its ${state.wanted} pods are`;
  const undeploy = ['keelson undeploy', ...which].join(' ');
  if (simulatedBy !== undefined) {
    const alsoWebhooks = hasWebhooks ? ', and nobody answers its webhooks' : '';
    return `
${name} is deployed in ${namespace}, and nothing of it runs: ${pods} simulated by the node ${simulatedBy}.
Nobody reconciles${alsoWebhooks}. To run it from this machine, on a cluster of its own:
  ${undeploy}
  keelson dev
`;
  }
  return `
${name} runs ${image} in ${namespace}: ${pods} ready after ${Math.round(tookMs / 1000)} s.
  ${kubectl} logs deployment/${name} --namespace ${namespace} --follow
  ${kubectl} apply -f config/samples
  ${undeploy}
`;
}
