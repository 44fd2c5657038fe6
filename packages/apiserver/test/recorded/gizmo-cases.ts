/** Writes to a custom resource in two versions, of which the second has atomic lists and maps. */
import type { Case, Step } from './recording.ts';

const apply = (version: 'v1' | 'v2', manager: string, spec: unknown, rest: Partial<Step> = {}): Step => ({
  verb: 'apply',
  version,
  manager,
  body: { spec },
  ...rest,
});
const put = (version: 'v1' | 'v2', manager: string, body: unknown): Step => ({ verb: 'put', version, manager, body });
const gizmo = (name: string, ...steps: readonly Step[]): Case => ({ name, resource: 'gizmos', steps });

export const gizmoCases: readonly Case[] = [
  gizmo(
    'two-versions',
    apply('v1', 'one', { text: 'a', items: [{ name: 'x', a: '1' }], map: { k: '1' } }),
    apply('v2', 'two', { text: 'a', items: [{ name: 'x', a: '1' }, { name: 'y' }], map: { k: '1' } }),
    apply('v2', 'two', { text: 'a', items: [{ name: 'x', a: '2' }, { name: 'y' }], map: { k: '1' } }),
    apply('v2', 'two', { text: 'a', items: [{ name: 'x', a: '2' }, { name: 'y' }], map: { k: '1' } }, { force: true }),
    apply('v1', 'one', { items: [{ name: 'y' }] }),
    apply('v1', 'three', { items: [{ name: 'z' }], map: { l: '2' } }),
    apply('v1', 'three', { items: [{ name: 'z' }], map: { l: '2' } }, { force: true }),
    apply('v2', 'two', {}),
  ),
  gizmo(
    'one-manager-two-versions',
    apply('v1', 'one', { text: 'a', items: [{ name: 'x', a: '1' }], map: { k: '1', l: '2' } }),
    apply('v2', 'one', { text: 'a', items: [{ name: 'y' }], map: { m: '3' } }),
    apply('v1', 'one', { items: [{ name: 'z' }] }),
    apply('v1', 'one', {}),
  ),
  gizmo(
    'updates-in-two-versions',
    apply('v1', 'one', { text: 'a', items: [{ name: 'x', a: '1' }, { name: 'w' }], map: { k: '1' } }),
    put('v2', 'up', { spec: { items: [{ name: 'x', a: '2' }], map: { l: '1' } } }),
    put('v1', 'up', { spec: { items: [{ name: 'x', a: '3' }], map: { l: '2' } } }),
    apply('v2', 'one', { text: 'a' }),
  ),
];
