/**
 * The installation that a chart is made of: the same objects as those of config/, where names of namespaces stand for
 * what Helm fills in.
 *
 * Whoever installs a chart chooses its namespace and those that are watched; so the objects are made for two names that
 * nobody chooses, and templates take their place.
 */
import { isObject, type Operator, type ProcessParameter } from '@keelson/core';
import { type GenerateOptions, type Installation, installationOf } from '../installation.ts';
import { Guarded, Inserted, Template } from '../yaml.ts';

/** Stands for the namespace of the release. */
const ownNamespace = 'keelson-release-namespace';
/** Stands for each namespace that is watched. */
const watchedNamespace = 'keelson-watched-namespace';

/** What a chart is made of. */
export interface ChartInstallation {
  /** Where all namespaces are watched. */
  readonly everywhere: Installation;
  /** Where those are watched that the chart is told; absent where the operator always watches all. */
  readonly somewhere: Installation | undefined;
  readonly parameters: readonly ProcessParameter[];
  readonly options: GenerateOptions;
}

export function chartInstallation(operator: Operator, options: GenerateOptions): ChartInstallation {
  const chosen = { ...options, namespace: ownNamespace, namespaces: undefined };
  const everywhere = installationOf(operator, chosen);
  const { namespacesVariable, parameters = [] } = everywhere.process;
  const somewhere = namespacesVariable && installationOf(operator, { ...chosen, namespaces: [watchedNamespace] });
  return { everywhere, somewhere: somewhere || undefined, parameters, options };
}

export const releaseNamespace = new Template('{{ $.Release.Namespace | quote }}');
/** Inside of `eachWatched`. */
const watched = new Template('{{ $namespace | quote }}');
export const eachWatched = 'range $namespace := $.Values.rbac.namespaces';
export const isSomewhere = 'if $.Values.rbac.namespaces';

/** Whether an object is in a namespace that is watched, and so there once for each. */
export const isInWatched = (object: object): boolean =>
  'metadata' in object && isObject(object.metadata) && object.metadata.namespace === watchedNamespace;

/** The value with templates for the two namespaces; what looks like a template in it is printed as it is. */
function templated(value: unknown): unknown {
  if (typeof value === 'string') return templatedText(value);
  if (value instanceof Template || value instanceof Inserted) return value;
  if (value instanceof Guarded) return new Guarded(value.condition, templated(value.value));
  if (Array.isArray(value)) return value.map(templatedItem);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [escaped(name), templated(field)]));
}

/** Backquotes, since no form of a text in YAML has to escape them. */
const escaped = (text: string): string => text.replaceAll('{{', '{{ `{{` }}');

function templatedText(text: string): unknown {
  if (text === ownNamespace) return releaseNamespace;
  if (text === watchedNamespace) return watched;
  return escaped(text).replaceAll(ownNamespace, '{{ $.Release.Namespace }}');
}

/** A requirement that names those that are watched is there only where some are chosen. */
function templatedItem(item: unknown): unknown {
  if (isObject(item) && Array.isArray(item.values) && item.values.includes(watchedNamespace)) {
    return new Guarded(isSomewhere, { ...item, values: new Template('{{ toJson $.Values.rbac.namespaces }}') });
  }
  return templated(item);
}

const chartLabels = {
  'app.kubernetes.io/instance': new Template('{{ $.Release.Name | quote }}'),
  'app.kubernetes.io/managed-by': new Template('{{ $.Release.Service | quote }}'),
  'helm.sh/chart': new Template('{{ printf "%s-%s" $.Chart.Name $.Chart.Version | replace "+" "_" | quote }}'),
};

/** An object of the chart: with what Helm fills in, and labels that say whose release it is of. */
export function chartObject(object: object): unknown {
  const metadata = 'metadata' in object && isObject(object.metadata) ? object.metadata : {};
  const labels = { ...(isObject(metadata.labels) ? metadata.labels : {}), ...chartLabels };
  return templated({ ...object, metadata: { ...metadata, labels } });
}
