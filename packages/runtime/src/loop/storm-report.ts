/** Storms of one controller, told to everybody whom they concern: log, metrics, and an Event on the object. */

import { Storms } from '../storms/storms.ts';
import type { ControlLoopOptions } from './control-loop.ts';

export function reportedStorms({
  controller,
  caches,
  clock,
  logger,
  metrics,
  recorder,
  onStorm,
}: ControlLoopOptions): Storms {
  const storms = new Storms({
    controller: controller.name,
    clock,
    onStorm(storm) {
      const { key, message, target, fields, managers, causes } = storm;
      logger.warn(`Reconcile storm: ${message}`, { key, target, fields, managers, causes: causes.slice(0, 5) });
      metrics.storm();
      const object = caches.store(controller.for).get(key);
      if (object !== undefined) recorder.event(object, { type: 'Warning', reason: 'ReconcileStorm', message });
      onStorm?.(storm);
    },
    onCalm: (key) => logger.info('The reconcile storm is over', { key }),
  });
  metrics.observeStorms(storms);
  return storms;
}
