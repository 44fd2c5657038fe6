/** The row of an event, which begins with when it was last seen and not with a name. */

import type { Event } from '@keelson/core/v1';
import { column, nameColumn, since, wide } from '../../../encode/table-columns.ts';
import { readAs } from '../../../object.ts';
import type { TableRules } from '../../../resource/resource.ts';

function source({ source: from, reportingComponent, reportingInstance }: Event): string {
  const component = from?.component || reportingComponent || '';
  const instance = from?.host || reportingInstance || '';
  return instance === '' ? component : `${component}, ${instance}`;
}

export const eventTable: TableRules = {
  columns: [
    column('Last Seen', 'When it was last seen.'),
    column('Type', 'Normal or Warning.'),
    column('Reason', 'Why, in one word.'),
    column('Object', 'What it is about.'),
    wide('Subobject', 'Which part of it.'),
    wide('Source', 'Who reported it.'),
    column('Message', 'What happened, for people.'),
    wide('First Seen', 'When it was first seen.'),
    wide('Count', 'How often it was seen.'),
    { ...nameColumn, priority: 1 },
  ],
  cells(object, now) {
    const event = readAs<Event>(object);
    const { involvedObject, series } = event;
    const first = since(event.firstTimestamp ?? event.eventTime, now);
    const last = series
      ? since(series.lastObservedTime, now)
      : event.lastTimestamp
        ? since(event.lastTimestamp, now)
        : first;
    const kind = (involvedObject.kind ?? '').toLowerCase();
    return [
      last,
      event.type ?? '',
      event.reason ?? '',
      involvedObject.name ? `${kind}/${involvedObject.name}` : kind,
      involvedObject.fieldPath ?? '',
      source(event),
      (event.message ?? '').trim(),
      first,
      series?.count ?? (event.count || 1),
      event.metadata.name,
    ];
  },
};
