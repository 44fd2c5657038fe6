/**
 * What a deploy applies: what `keelson generate` makes, with the image that was chosen, as objects.
 *
 * `config/default` is the user's. As it was made, nothing has to be read of it; edited, kubectl puts it together, and then
 * the files beside it must be as generated.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isObject, type JsonObject, type NewObjectMeta } from '@keelson/core';
import type { NewCustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { type GeneratedFile, type GenerateOptions, generateFiles } from '@keelson/generate';
import { parseAllDocuments } from 'yaml';
import { CommandError } from '../command-error.ts';
import { fileChanges } from '../generated-files.ts';
import type { OperatorModule } from '../operator-module.ts';
import type { Shell } from '../shell.ts';
import { deployedLabel } from './deployed.ts';

/** An object as it is written in a file. */
export interface FileObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: NewObjectMeta & { readonly name: string };
}

export interface Deployable {
  readonly definitions: readonly NewCustomResourceDefinition[];
  /** All others, in the order in which they are applied, with the label by which `undeploy` finds them. */
  readonly objects: readonly FileObject[];
  /** The operator's own: namespace and name. */
  readonly deployment: { readonly namespace: string; readonly name: string };
}

const kustomization = 'config/default/kustomization.yaml';
const settings = 'config/manager/settings.yaml';

export async function deployable(
  { operator, kinds, place }: OperatorModule,
  options: GenerateOptions & { readonly image: string },
  shell: Pick<Shell, 'env'>,
): Promise<Deployable> {
  const { image, ...others } = options;
  const files = generateFiles(operator, { ...others, image, kinds });
  const text = await contentOf(join(place.folder, kustomization));
  const isEdited = text !== undefined && !saysTheSame(text, files.find(({ path }) => path === kustomization)?.text);
  const found = isEdited
    ? await kustomized(place.folder, generateFiles(operator, { ...others, kinds }), shell)
    : await withSettings(place.folder, objectsIn(files.find(({ path }) => path === 'dist/install.yaml')?.text ?? ''));
  const isOwn = ({ kind, spec }: FileObject) => kind === 'Deployment' && selects(spec, operator.name);
  const own = found.find(isOwn);
  if (own === undefined) {
    throw new CommandError(`${kustomization} leaves the operator's Deployment out`, 'put ../manager into it again');
  }
  const { name, namespace = 'default' } = own.metadata;
  const isDefinition = ({ kind }: FileObject) => kind === 'CustomResourceDefinition';
  return {
    definitions: found.filter(isDefinition) as unknown as readonly NewCustomResourceDefinition[],
    objects: found
      .filter((each) => !isDefinition(each))
      .map((each) => labelled(isOwn(each) ? withImage(each, image, settingsHash(found)) : each, operator.name)),
    deployment: { namespace, name },
  };
}

/** What an edited `config/default` comes to. */
async function kustomized(
  folder: string,
  files: readonly GeneratedFile[],
  { env }: Pick<Shell, 'env'>,
): Promise<readonly FileObject[]> {
  const read = files.filter(({ path }) => path.startsWith('config/'));
  const changes = await fileChanges(folder, read, ['config']);
  if (changes.length > 0) {
    const names = changes.map(({ path }) => path).join(', ');
    throw new CommandError(
      `${kustomization} was edited, and what it names is not as generated (${names})`,
      'run "keelson generate"',
    );
  }
  try {
    const { stdout } = await promisify(execFile)('kubectl', ['kustomize', join(folder, 'config/default')], {
      env,
      maxBuffer: 1 << 28,
    });
    return objectsIn(stdout);
  } catch (error) {
    const { code, stderr = '', message } = error as Error & { readonly code?: unknown; readonly stderr?: string };
    if (code === 'ENOENT') {
      throw new CommandError(
        `${kustomization} was edited, so kubectl has to read it, and it is not here`,
        'install it',
      );
    }
    throw new CommandError(`kubectl cannot read config/default: ${stderr.trim() || message}`, 'mend it');
  }
}

/** The settings are the user's, too: as they are in the file, if there is one. */
async function withSettings(folder: string, objects: readonly FileObject[]): Promise<readonly FileObject[]> {
  const [edited] = objectsIn((await contentOf(join(folder, settings))) ?? '', settings);
  return objects.map((each) =>
    edited !== undefined && each.kind === 'ConfigMap' && each.metadata.name === edited.metadata.name
      ? { ...edited, metadata: { ...edited.metadata, namespace: each.metadata.namespace } }
      : each,
  );
}

/** Comments aside: those of an older Keelson are no edit. */
function saysTheSame(text: string, generated: string | undefined): boolean {
  if (text === generated) return true;
  const said = (yaml: string) => JSON.stringify(parseAllDocuments(yaml).map((document): unknown => document.toJS()));
  return generated !== undefined && said(text) === said(generated);
}

function objectsIn(text: string, file = 'what was generated'): readonly FileObject[] {
  return parseAllDocuments(text)
    .map((document): unknown => {
      const [error] = document.errors;
      if (error !== undefined) throw new CommandError(`${file} is no YAML: ${error.message.split('\n')[0]}`, 'mend it');
      return document.toJS();
    })
    .filter((value): value is FileObject => isObject(value) && isObject(value.metadata));
}

/** As the files have it: pods that the operator makes under its name are not its own. */
function selects(spec: unknown, operator: string): boolean {
  const selector = isObject(spec) && isObject(spec.selector) ? spec.selector.matchLabels : undefined;
  return (
    isObject(selector) &&
    selector['app.kubernetes.io/name'] === operator &&
    selector['app.kubernetes.io/component'] === 'manager'
  );
}

/** Of all ConfigMaps: pods read their settings when they start, so others are other pods. */
function settingsHash(objects: readonly FileObject[]): string | undefined {
  const maps = objects.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata, data }) => [metadata.name, data]);
  return maps.length === 0 ? undefined : createHash('sha256').update(JSON.stringify(maps)).digest('hex');
}

function withImage(deployment: FileObject, image: string, hash: string | undefined): FileObject {
  const { spec } = deployment as unknown as {
    readonly spec: {
      readonly template: {
        readonly metadata: NewObjectMeta;
        readonly spec: { readonly containers: readonly JsonObject[] };
      };
    };
  };
  const { template } = spec;
  const containers = template.spec.containers.map((each) => (each.name === 'manager' ? { ...each, image } : each));
  const annotations = { ...template.metadata.annotations, ...(hash && { 'checksum/settings': hash }) };
  const metadata = { ...template.metadata, annotations };
  return { ...deployment, spec: { ...spec, template: { metadata, spec: { ...template.spec, containers } } } };
}

const labelled = (object: FileObject, operator: string): FileObject => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, [deployedLabel]: operator } },
});

async function contentOf(file: string): Promise<string | undefined> {
  return await readFile(file, 'utf8').catch(() => undefined);
}
