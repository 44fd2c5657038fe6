/**
 * The process in which `keelson dev` runs an operator of the engine.
 *
 * It is started before it is needed, so that a restart has only the author's sources to load. It loads the operator when
 * told to and says what that needs, runs it when told to, and ends when its parent is gone.
 */
import './dev-tether.ts';
import module from 'node:module';
import { rulesOf, servesWebhooks, webhookConfigurationsOf } from '@keelson/core';
import { run } from '@keelson/runtime';
import { definitionsAt, usualNamespace } from './definitions.ts';
import type { FromChild, ToChild } from './dev-messages.ts';
import { loadOperator, type OperatorModule } from './operator-module.ts';
import { isEngineOperator, programOf } from './run-operator.ts';

let loaded: OperatorModule | undefined;

process.channel?.ref(); // until there is an operator, waiting for one is all that keeps the process alive
process.on('message', (message: ToChild) => {
  if (message.type === 'load') void load(message);
  else void go(message);
});

/** What is compiled is kept for the process that stands by next: it takes a third of the time to start then. */
function keepCompiled(): void {
  module.flushCompileCache?.(); // Node 22.10 has it
}

async function load({ cwd, operator: file, webhooks }: ToChild & { readonly type: 'load' }): Promise<void> {
  keepCompiled();
  try {
    loaded = await loadOperator({ cwd, operator: file });
    const { operator, kinds, place } = loaded;
    const at = { namespace: usualNamespace(operator), ...webhooks };
    tell({
      type: 'loaded',
      name: operator.name,
      rules: rulesOf(operator),
      definitions: definitionsAt({ operator, kinds }, at),
      webhooks: webhookConfigurationsOf(operator, at),
      answers: servesWebhooks(operator),
      program: isEngineOperator(operator) ? undefined : programOf(operator, place),
    });
  } catch (error) {
    tell({ type: 'failed', text: error instanceof Error ? error.message : String(error) });
  }
}

async function go({ argv }: ToChild & { readonly type: 'go' }): Promise<void> {
  process.channel?.unref();
  if (loaded !== undefined && isEngineOperator(loaded.operator)) await run(loaded.operator, argv);
}

function tell(message: FromChild): void {
  process.send?.(message);
}
