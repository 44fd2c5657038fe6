/** The rows of volumes, of those who claim them and of what provides them. */

import type {
  CSIDriver,
  CSINode,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from '@keelson/core/storage/v1';
import type { PersistentVolume, PersistentVolumeClaim } from '@keelson/core/v1';
import { age, ageColumn, column, named, wide } from '../../../encode/table-columns.ts';
import { type ApiObject, readAs } from '../../../object.ts';
import { defaultable } from './network.ts';

const boolean = (name: string, description: string) => column(name, description, { type: 'boolean' });

const modeNames = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const;

const modesText = (modes: readonly string[] = []): string =>
  modeNames.flatMap(([mode, short]) => (modes.includes(mode) ? [short] : [])).join(',');

/** The annotation is what there was before the field. */
const classOf = ({ metadata }: ApiObject, own: string | undefined): string =>
  metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? own ?? '';

export const persistentVolumeClaimTable = named(
  (object, now) => {
    const { spec, status, metadata } = readAs<PersistentVolumeClaim>(object);
    const isBound = Boolean(spec?.volumeName);
    return [
      metadata.deletionTimestamp ? 'Terminating' : (status?.phase ?? ''),
      spec?.volumeName ?? '',
      isBound ? (status?.capacity?.storage ?? '0') : '',
      isBound ? modesText(status?.accessModes) : '',
      classOf(object, spec?.storageClassName),
      spec?.volumeAttributesClassName ?? '<unset>',
      age(object, now),
      spec?.volumeMode ?? '<unset>',
    ];
  },
  column('Status', 'Whether it has a volume.'),
  column('Volume', 'The volume that it has.'),
  column('Capacity', 'The size of that volume.'),
  column('Access Modes', 'How the volume may be mounted.'),
  column('StorageClass', 'Who provides its volume.'),
  column('VolumeAttributesClass', 'The attributes of its volume.'),
  ageColumn,
  wide('VolumeMode', 'Whether it is a file system or a device.'),
);

export const persistentVolumeTable = named(
  (object, now) => {
    const { spec, status, metadata } = readAs<PersistentVolume>(object);
    const claim = spec?.claimRef;
    return [
      spec?.capacity?.storage ?? '0',
      modesText(spec?.accessModes),
      spec?.persistentVolumeReclaimPolicy ?? '',
      metadata.deletionTimestamp ? 'Terminating' : (status?.phase ?? ''),
      claim ? `${claim.namespace ?? ''}/${claim.name ?? ''}` : '',
      classOf(object, spec?.storageClassName),
      spec?.volumeAttributesClassName ?? '<unset>',
      status?.reason ?? '',
      age(object, now),
      spec?.volumeMode ?? '<unset>',
    ];
  },
  column('Capacity', 'How large it is.'),
  column('Access Modes', 'How it may be mounted.'),
  column('Reclaim Policy', 'What becomes of it without its claim.'),
  column('Status', 'Whether it is claimed.'),
  column('Claim', 'Whose it is.'),
  column('StorageClass', 'Who provides it.'),
  column('VolumeAttributesClass', 'Its attributes.'),
  column('Reason', 'Why it failed.'),
  ageColumn,
  wide('VolumeMode', 'Whether it is a file system or a device.'),
);

export const storageClassTable = defaultable(
  ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'],
  named(
    (object, now) => {
      const { provisioner, reclaimPolicy, volumeBindingMode, allowVolumeExpansion } = readAs<StorageClass>(object);
      return [
        provisioner,
        reclaimPolicy ?? 'Delete',
        volumeBindingMode ?? 'Immediate',
        allowVolumeExpansion ?? false,
        age(object, now),
      ];
    },
    column('Provisioner', 'Who makes its volumes.'),
    column('ReclaimPolicy', 'What becomes of a volume without its claim.'),
    column('VolumeBindingMode', 'When a claim gets its volume.'),
    column('AllowVolumeExpansion', 'Whether volumes may grow.'),
    ageColumn,
  ),
);

export const csiDriverTable = named(
  (object, now) => {
    const { spec } = readAs<CSIDriver>(object);
    return [
      spec.attachRequired ?? true,
      spec.podInfoOnMount ?? false,
      spec.storageCapacity ?? false,
      spec.tokenRequests?.map(({ audience }) => audience).join(',') ?? '<unset>',
      spec.requiresRepublish ?? false,
      (spec.volumeLifecycleModes ?? []).join(',') || '<none>',
      age(object, now),
    ];
  },
  boolean('AttachRequired', 'Whether its volumes are attached before they are mounted.'),
  boolean('PodInfoOnMount', 'Whether it is told of the pod.'),
  boolean('StorageCapacity', 'Whether it publishes how much there is.'),
  column('TokenRequests', 'For which audiences it wants tokens.'),
  boolean('RequiresRepublish', 'Whether it is called again and again.'),
  column('Modes', 'What its volumes are for.'),
  ageColumn,
);

export const csiNodeTable = named(
  (object, now) => [(readAs<CSINode>(object).spec.drivers ?? []).length, age(object, now)],
  column('Drivers', 'How many drivers the node has.', { type: 'integer' }),
  ageColumn,
);

export const volumeAttachmentTable = named(
  (object, now) => {
    const { spec, status } = readAs<VolumeAttachment>(object);
    return [
      spec.attacher,
      spec.source.persistentVolumeName ?? '',
      spec.nodeName,
      status?.attached ?? false,
      age(object, now),
    ];
  },
  column('Attacher', 'Who attaches it.', { format: 'name' }),
  column('PV', 'The volume.'),
  column('Node', 'The node.'),
  boolean('Attached', 'Whether it is attached.'),
  ageColumn,
);

export const volumeAttributesClassTable = named(
  (object, now) => [readAs<VolumeAttributesClass>(object).driverName, age(object, now)],
  column('DriverName', 'Whose attributes these are.'),
  ageColumn,
);
