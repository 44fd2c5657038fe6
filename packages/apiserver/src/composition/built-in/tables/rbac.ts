/** The table of role bindings: the role, and with `-o wide` who has it. */
import type { RoleRef, Subject } from '@keelson/core/rbac/v1';
import { age, ageColumn, column, named, wide } from '../../../encode/table-columns.ts';
import type { TableRules } from '../../../resource/resource.ts';

/** `binding` is how the kind is called in the descriptions of its columns. */
export const bindingTable = (binding: string, roleDescription: string): TableRules =>
  named(
    (object, now) => {
      const { kind, name } = object.roleRef as RoleRef;
      const subjects = (object.subjects ?? []) as readonly Subject[];
      const ofKind = (wanted: string, text: (subject: Subject) => string) =>
        subjects
          .filter((subject) => subject.kind === wanted)
          .map(text)
          .join(', ');
      return [
        `${kind}/${name}`,
        age(object, now),
        ofKind('User', (subject) => subject.name),
        ofKind('Group', (subject) => subject.name),
        ofKind('ServiceAccount', (subject) => `${subject.namespace ?? ''}/${subject.name}`),
      ];
    },
    column('Role', roleDescription),
    ageColumn,
    wide('Users', `Users in the ${binding}`),
    wide('Groups', `Groups in the ${binding}`),
    wide('ServiceAccounts', `ServiceAccounts in the ${binding}`),
  );
