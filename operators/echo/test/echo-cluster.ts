/** The operator as a program of a test cluster: virtual time, its own rules, and replicas that can crash. */

import { conditionOf, type NamespacedName } from '@keelson/core';
import type { OperatorProgram, TestCluster } from '@keelson/testing';
import type { Echo as EchoObject } from '../src/api/v1alpha1.ts';
import { Echo } from '../src/api/v1alpha1.ts';
import { createLogger } from '../src/logger.ts';
import { echoOperator } from '../src/operator.ts';
import { type EchoObserver, runEchoOperator } from '../src/run-echo-operator.ts';
import { settingsFrom } from '../src/settings.ts';

/** The operator with these variables; `HA_NODE_ID` is that of the replica. */
export function echoProgram(
  environment: Readonly<Record<string, string>> = {},
  observer: EchoObserver = {},
): OperatorProgram {
  return {
    operator: echoOperator,
    run({ transport, clock, random, identity }, signal) {
      const settings = settingsFrom({ NAMESPACE: 'operators', ...environment }, identity);
      const logger = createLogger({ level: 'error', json: false, clock });
      return runEchoOperator({ transport, settings, clock, random, logger, observer }, signal);
    },
  };
}

export const key: NamespacedName = 'default/hello';

export const create = ({ client }: TestCluster, message = 'Hello, world!', name = 'hello') =>
  client.create(Echo, { metadata: { namespace: 'default', name }, spec: { message } });

export const verdict = (object: EchoObject, type: string): string => {
  const { status, reason } = conditionOf(object, type);
  return `${type}=${status} ${reason}`;
};
