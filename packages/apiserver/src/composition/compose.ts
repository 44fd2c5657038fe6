/**
 * The server before it listens: the steps, given the kinds that they serve and the objects of the first moment.
 *
 * Promises: all state belongs to the value that is returned; time and chance are those that were given.
 */
import type { Clock, Random } from '@keelson/core';
import { admit } from '../admit/admission.ts';
import { type LateAdmitter, lateAdmission } from '../admit/late-admission.ts';
import { mutatingPolicies } from '../admit/policies/mutating-policies.ts';
import { validatingPolicies } from '../admit/policies/validating-policies.ts';
import { webhookAdmission } from '../admit/webhooks/webhook-admission.ts';
import { Authenticator, type Tokens } from '../authenticate/authenticate.ts';
import { ServiceAccountTokens } from '../authenticate/service-account-tokens.ts';
import { Authoriser } from '../authorise/authoriser.ts';
import type { ContainerLogs } from '../container-logs.ts';
import type { ContainerSessions } from '../container-sessions.ts';
import { OpenApi } from '../discovery/open-api.ts';
import { Impersonator } from '../impersonate/impersonate.ts';
import type { PodPorts } from '../pod-ports.ts';
import type { PodUsage } from '../pod-usage.ts';
import type { Remarks } from '../remarks.ts';
import { Registry } from '../resource/registry.ts';
import type { StrategyContext } from '../resource/resource.ts';
import type { RequestHandling } from '../route/handle-request.ts';
import type { Services } from '../services.ts';
import { Compactor } from '../store/compactor.ts';
import { Store } from '../store/store.ts';
import type { Context } from '../verbs/context.ts';
import { FanOut } from '../watch/fan-out.ts';
import { WebhookCaller } from '../webhooks/caller.ts';
import { runApiServices } from './api-services.ts';
import { createBootstrapObjects } from './bootstrap/bootstrap-objects.ts';
import { expireEvents } from './bootstrap/event-expiry.ts';
import { builtInResources } from './built-in/built-in-resources.ts';
import { runDefinitions } from './custom-resources/definition-controller.ts';
import { runPolicyChecks } from './policy-checks.ts';

export interface Composition extends RequestHandling, Disposable {}

export interface CompositionOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly tokens: Tokens;
  readonly history?: number | undefined;
  readonly logs?: ContainerLogs | undefined;
  readonly sessions?: ContainerSessions | undefined;
  readonly ports?: PodPorts | undefined;
  readonly podUsage?: PodUsage | undefined;
  readonly remarks?: Remarks | undefined;
  readonly services?: Services | undefined;
  /** Beside those that objects in the store configure. */
  readonly admitters?: readonly LateAdmitter[] | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

export function compose(options: CompositionOptions): Composition {
  const {
    clock,
    random,
    tokens,
    history,
    logs,
    sessions,
    ports,
    podUsage,
    remarks,
    services,
    admitters = [],
    onError,
  } = options;
  const store = new Store({ history });
  const registry = new Registry(builtInResources());
  const strategyContext: StrategyContext = {
    random,
    get now() {
      return clock.now();
    },
    find: (collection, key) => store.collection(collection).get(key)?.object,
    *list(collection) {
      for (const { object } of store.collection(collection).list()) yield object;
    },
  };
  const accountTokens = new ServiceAccountTokens({ clock, random, find: strategyContext.find });
  // The authoriser and the watchers hear of a change before definitions react to it.
  const fanOut = new FanOut(store);
  const authoriser = new Authoriser(store);
  const policyContext = { store, registry, objects: strategyContext, authoriser };
  const caller = new WebhookCaller({ clock, services, objects: strategyContext });
  const webhooks = webhookAdmission({ caller, random, objects: strategyContext, registry, authoriser });
  const context: Context = {
    store,
    registry,
    fanOut,
    clock,
    random,
    strategyContext,
    objects: strategyContext,
    lateAdmission: lateAdmission(
      [
        mutatingPolicies(policyContext),
        webhooks.mutating,
        validatingPolicies(policyContext),
        webhooks.validating,
        ...admitters,
      ],
      ({ write, operation }, object) => admit(context, write, operation, object),
    ),
    logs,
    sessions,
    ports,
    podUsage,
    remarks,
    accountTokens,
    authenticator: new Authenticator(tokens, accountTokens),
    authoriser,
  };
  runDefinitions(context, { caller, random });
  runApiServices(context);
  runPolicyChecks(context);
  const expiry = expireEvents(context);
  createBootstrapObjects(context);
  return {
    context,
    openApi: new OpenApi(registry),
    impersonator: new Impersonator(context.authoriser),
    compactor: new Compactor(store, clock),
    onError,
    [Symbol.dispose]() {
      caller[Symbol.dispose]();
      expiry[Symbol.dispose]();
      fanOut.closeAll();
    },
  };
}
