/** The checks of `keelson doctor`, in the order of what depends on what. None of them changes anything. */
import { type Client, connect, createClient } from '@keelson/client';
import { isForbidden, isTransportError, rolesOf } from '@keelson/core';
import { CustomResourceDefinition, type NewCustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { systemClock } from '@keelson/core/system';
import { certificateReport, missingAccess, printMissing } from '@keelson/runtime';
import { readConfig } from './chosen-cluster.ts';
import { failureOf } from './command-error.ts';
import { installedDefinitions, usualNamespace } from './definitions.ts';
import { certificateFindings, webhookFindings } from './doctor-certificates.ts';
import type { DoctorFlags } from './doctor-command.ts';
import { differences } from './doctor-differences.ts';
import type { Finding } from './doctor-finding.ts';
import { formerDefinitions, howToRemove } from './former-definitions.ts';
import { installationOptions } from './installation-options.ts';
import { loadOperator, type OperatorModule } from './operator-module.ts';
import { oldestMinor, versionOf } from './server-version.ts';
import type { Shell } from './shell.ts';

export async function examine(flags: DoctorFlags, shell: Shell): Promise<readonly Finding[]> {
  const findings: Finding[] = [nodeFinding(process.versions.node)];
  const module = await attempt(findings, 'operator', () => loadOperator({ cwd: shell.cwd, operator: flags.operator }));
  if (module !== undefined)
    findings.push({ check: 'operator', status: 'ok', text: `${module.operator.name}, ${module.place.file}` });
  const config = await attempt(findings, 'cluster', () => readConfig(flags, shell));
  if (config === undefined) return findings;
  findings.push(...(await certificateFindings(config)));
  await using transport = connect(config, { env: shell.env });
  const client = createClient({ transport, fieldManager: 'keelson', timeoutMs: 10_000 });
  const version = await attempt(findings, 'cluster', () => versionOf(client));
  if (version === undefined) return findings;
  findings.push({ check: 'cluster', status: 'ok', text: `${config.server}, by ${config.source}` });
  findings.push(
    version.isTooOld
      ? {
          check: 'version',
          status: 'failed',
          text: `Kubernetes ${version.text} is too old`,
          next: `Take a cluster of Kubernetes 1.${oldestMinor} or newer`,
        }
      : { check: 'version', status: 'ok', text: `Kubernetes ${version.text}` },
  );
  if (module !== undefined) findings.push(...(await ofOperator(client, module)));
  return findings;
}

/** Node 22.18 is the first of its line that runs TypeScript by itself. */
export function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 22)
    return { check: 'node', status: 'failed', text: `Node ${version} is too old`, next: 'Take Node 22 or newer' };
  if (major > 22 || minor >= 18) return { check: 'node', status: 'ok', text: `Node ${version}` };
  const text = `Node ${version} runs no TypeScript by itself`;
  return { check: 'node', status: 'warning', text, next: 'Take Node 22.18 or newer, or run what is compiled' };
}

/** What fails becomes a finding, in the words in which a command would fail, unless those send the user here. */
async function attempt<T>(
  findings: Finding[],
  check: Finding['check'],
  look: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    const leadsHere = isTransportError(error) || isForbidden(error);
    findings.push({ check, status: 'failed', text: leadsHere ? error.message : (await failureOf(error)).text });
    return undefined;
  }
}

async function ofOperator(client: Client, module: OperatorModule): Promise<readonly Finding[]> {
  const { operator, place } = module;
  const findings: Finding[] = [];
  const definitions = await installedDefinitions(module);
  for (const definition of definitions) {
    const found = await attempt(findings, 'definition', () => definitionFinding(client, definition));
    if (found !== undefined) findings.push(found);
  }
  for (const former of (await attempt(findings, 'definition', () => formerDefinitions(client, definitions))) ?? []) {
    const text = `${former.name} has the kind ${former.kind}, too, under another plural`;
    findings.push({ check: 'definition', status: 'failed', text, next: howToRemove(former) });
  }
  const { namespace = usualNamespace(operator), namespaces } = await installationOptions(place.folder);
  const report = await attempt(findings, 'certificate', () =>
    certificateReport(client, operator, { namespace, now: systemClock.now() }),
  );
  if (report !== undefined) findings.push(...webhookFindings(report));
  const missing = await attempt(findings, 'rights', async () => {
    return missingAccess(client, rolesOf(operator, { namespace, namespaces }));
  });
  if (missing?.length === 0) {
    findings.push({ check: 'rights', status: 'ok', text: `the user has all that ${operator.name} needs` });
  }
  for (const each of missing ?? []) {
    const next = 'Grant it, or take another user; "keelson explain" says what needs it';
    findings.push({ check: 'rights', status: 'failed', text: `missing: ${printMissing(each)}`, next });
  }
  return findings;
}

/** Compared with what an install would make of it, since the server fills in defaults. */
async function definitionFinding(client: Client, definition: NewCustomResourceDefinition): Promise<Finding> {
  const check = 'definition';
  const name = definition.metadata.name ?? '';
  const next = '"keelson install" brings it up to date';
  const installed = await client.find(CustomResourceDefinition, name);
  if (installed === undefined)
    return { check, status: 'failed', text: `${name} is not installed`, next: '"keelson install" does that' };
  try {
    const wanted = await client.apply(CustomResourceDefinition, definition, { dryRun: true, force: true });
    const paths = differences(installed.spec, wanted.spec, 'spec');
    if (paths.length === 0) return { check, status: 'ok', text: `${name} is as the operator defines it` };
    const [most, rest] = [paths.slice(0, 5), paths.length - 5];
    const named = `${most.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
    return { check, status: 'failed', text: `${name} differs from what the operator defines: ${named}`, next };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    const text = `${name} is installed; whether it is as defined only those can tell who may patch it`;
    return { check, status: 'warning', text };
  }
}
