/** The text of `--help` of an operator: the options that every one has, and its settings. */
import { type Operator, type Setting, servesWebhooks, settingsOf, webhookPort } from '@keelson/core';
import { levels } from '../log/log.ts';

const ownCertificate = '\n                        (default: with a certificate that nobody vouches for)';

const webhookOptions = `
  --webhook-port N      where webhooks are answered (default: ${webhookPort} in a pod, nowhere
                        outside of the cluster; 0: nowhere)
  --webhook-cert FILE, --webhook-key FILE
                        with this certificate, which somebody else renews (default: in
                        a pod what OLM or a volume of cert-manager brought, else one
                        that the operator makes, keeps and renews itself)`;

/** The text of `--help`. */
export const helpText = (operator: Operator): string => {
  const { name, leaderElection: leads = false, secureMetrics: secure = false, settings } = operator;
  return `Usage: ${name} [options]

Runs the operator until it gets SIGTERM or SIGINT.

Options:
  --kubeconfig FILE     the cluster to work on (default: KUBECONFIG, then the pod's
                        service account, then ~/.kube/config)
  --context NAME        the context of that file (default: its current one)
  --namespace A,B       watch namespaced kinds there and nowhere else (default:
                        WATCH_NAMESPACE, then everywhere)
  --health-port N       where /healthz and /readyz answer (default: 8081, 0: nowhere)
  --metrics-port N      where /metrics answers (default: 8080, 0: nowhere)
  --metrics-cert FILE, --metrics-key FILE
                        answer with TLS, and only those who may get /metrics${secure ? ownCertificate : ''}${servesWebhooks(operator) ? webhookOptions : ''}
  --leader-elect        let one of several replicas work while the others stand by
                        (default: ${leads ? 'yes' : 'no'}; --no-leader-elect for the opposite)
  --leader-elect-lease NAMESPACE/NAME
                        the Lease (default: ${name}, in the pod's namespace)
  --leader-elect-lease-duration, --leader-elect-renew-deadline,
  --leader-elect-retry-period SECONDS
                        its times (default: 15, 10 and 2)
  --leader-elect-exit   end the process when the lease is lost, instead of joining
                        the next election
  --grace-period SECONDS  how long a stop may take; shorter than the pod's own grace
                        period of 30 (default: 25)
  --resync SECONDS      look at each object again after so long though nothing has
                        changed (default: what the controllers declare, 36000 unless
                        they say otherwise; 0: never)
  --log-format FORMAT   json or text (default: text on a terminal, json elsewhere)
  --log-level LEVEL     ${levels.join(', ')} (default: info; with --plan, warn)
  --log-causes          say with each pass why it runs
  --plan                print what each object's pass would write, as a diff, write
                        nothing, and end; the right to read is enough
  --help                this text

All but --kubeconfig, --context, --namespace, --plan and --help can be given by variables,
too, such as KEELSON_LOG_LEVEL=debug or KEELSON_LEADER_ELECT=false. A flag counts before its
variable.
${settings === undefined ? '' : settingsHelp(settingsOf(settings, name))}`;
};

/** Where the text of an option begins. */
const column = 24;

function settingsHelp(settings: readonly Setting[]): string {
  const entries = settings.map((setting) => {
    const { flag, variable, type, description = '', choices, isRequired } = setting;
    const value = type === 'boolean' ? '' : ` ${type === 'number' ? 'N' : type === 'list' ? 'A,B' : 'TEXT'}`;
    const remarks = [
      ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
      isRequired
        ? 'required'
        : `default: ${setting.default === undefined ? 'none' : String(setting.default) || 'none'}`,
      variable,
    ];
    const head = `  --${flag}${value}`;
    const lines = [description, `(${remarks.join('; ')})`]
      .filter(Boolean)
      .map((line) => `${' '.repeat(column)}${line}`);
    return head.length < column
      ? [`${head.padEnd(column)}${lines[0]?.trimStart()}`, ...lines.slice(1)]
      : [head, ...lines];
  });
  return `\nSettings, each as a flag or a variable:\n${entries.flat().join('\n')}\n`;
}
