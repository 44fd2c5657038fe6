/** The operator as processes of its own on a cluster: three replicas, of which one can be killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { installOperator, type Kubernetes } from '@keelson/tools-kubernetes';
import { echoOperator } from '../src/operator.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const config = fileURLToPath(new URL('../config', import.meta.url));
const { name } = echoOperator;
export const namespace = `${name}-system`;

/** As whom the operator acts. */
export const operatorUser = `system:serviceaccount:${namespace}:${name}`;

export interface ReplicaProcess {
  readonly id: string;
  readonly log: () => string;
  /** Sends a signal and waits for the end; the exit code. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

/** Installs the definitions and the operator's account from the generated files: its own rules, and no others. */
export const install = (kube: Kubernetes): Promise<string> =>
  installOperator(kube, { config, serviceAccount: `${namespace}/${name}` });

/** Starts a replica that is called `id` in the election. */
export function startReplica(
  kubeconfig: string,
  id: string,
  variables: Readonly<Record<string, string>> = {},
): ReplicaProcess {
  const env = {
    PATH: process.env.PATH,
    KUBECONFIG: kubeconfig,
    NAMESPACE: namespace,
    ECHO_IMAGE: 'busybox:stable',
    HA_ENABLED: 'true',
    HA_NODE_ID: id,
    HA_LEASE_DURATION_SECONDS: '4',
    HA_RENEW_DEADLINE_SECONDS: '3',
    HA_RETRY_PERIOD_SECONDS: '1',
    METRICS_PORT: '0',
    HEALTH_PORT: '0',
    ENV: 'production',
    ...variables,
  };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const exited = once(child, 'exit');
  return {
    id,
    log: () => log,
    async stop(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
      return child.exitCode;
    },
  };
}
