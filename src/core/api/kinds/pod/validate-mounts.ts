/** Volume mounts and block devices of one container. */
import { field, forbidden, invalid, notFoundValue, notSupported, required } from '../../../kube/field-errors.ts';
import type { SecurityContext, VolumeDevice, VolumeMount } from '../../types/core-v1.ts';
import type { Findings } from '../../rules/findings.ts';
import { listOf } from '../../rules/findings.ts';
import { pathHasBackstep, validateDescendingPath } from '../../rules/paths.ts';
import type { VolumesByName } from './validate-volumes.ts';

export interface Mounting {
  readonly volumeMounts?: readonly VolumeMount[];
  readonly volumeDevices?: readonly VolumeDevice[];
  readonly securityContext?: SecurityContext;
}

export function validateMounts(found: Findings, container: Mounting, volumes: VolumesByName, path: string): void {
  const { volumeMounts: mounts, volumeDevices: devices } = container;
  if (mounts !== undefined) validateVolumeMounts(found, mounts, container, volumes, `${path}.volumeMounts`);
  if (devices !== undefined) {
    validateVolumeDevices(found, devices, listOf(mounts), volumes, `${path}.volumeDevices`);
  }
}

function validateVolumeMounts(
  found: Findings,
  mounts: readonly VolumeMount[],
  { volumeDevices, securityContext }: Mounting,
  volumes: VolumesByName,
  path: string,
): void {
  const mountPaths = new Set<string>();
  const devices = volumeDevices === undefined ? undefined : placesOf(volumeDevices, ({ devicePath }) => devicePath);
  for (let index = 0; index < mounts.length; index++) {
    const mount = mounts[index] as VolumeMount;
    const name = mount.name ?? '';
    const mountPath = mount.mountPath ?? '';
    const at = field.index(path, index);
    if (name === '') found.push(required(`${at}.name`, ''));
    if (!volumes.has(name)) found.push(notFoundValue(`${at}.name`, name));
    if (mountPath === '') found.push(required(`${at}.mountPath`, ''));
    if (mountPaths.has(mountPath)) found.push(invalid(`${at}.mountPath`, mountPath, 'must be unique'));
    mountPaths.add(mountPath);
    if (devices !== undefined) validateNoDevice(found, name, mountPath, devices, at);
    validateSubPaths(found, mount, path, at);
    validatePropagation(found, mount, securityContext?.privileged === true, path);
  }
}

interface Places {
  readonly names: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
}

/** Names and paths in use. Of several entries with one name only the last counts. */
function placesOf<T extends { readonly name?: string }>(entries: readonly T[], pathOf: (entry: T) => string): Places {
  const byName = new Map(entries.map((entry) => [entry.name ?? '', pathOf(entry) ?? '']));
  return { names: new Set(byName.keys()), paths: new Set(byName.values()) };
}

function validateNoDevice(found: Findings, name: string, mountPath: string, devices: Places, path: string): void {
  if (devices.names.has(name)) found.push(invalid(`${path}.name`, name, 'must not already exist in volumeDevices'));
  if (devices.paths.has(mountPath)) {
    found.push(invalid(`${path}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'));
  }
}

/** Most findings about a mount stand at the list: that is where Kubernetes puts them. */
function validateSubPaths(found: Findings, { subPath, subPathExpr }: VolumeMount, path: string, at: string): void {
  if (subPath) validateDescendingPath(found, subPath, `${path}.subPath`);
  if (!subPathExpr) return;
  if (subPath) {
    found.push(invalid(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
  }
  validateDescendingPath(found, subPathExpr, `${path}.subPathExpr`);
}

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIVE = ['Disabled', 'Enabled', 'IfPossible'];

function validatePropagation(found: Findings, mount: VolumeMount, privileged: boolean, path: string): void {
  const { mountPropagation: propagation, recursiveReadOnly } = mount;
  if (propagation !== undefined) {
    const at = `${path}.mountPropagation`;
    if (!PROPAGATIONS.includes(propagation)) found.push(notSupported(at, propagation, PROPAGATIONS));
    if (propagation === 'Bidirectional' && !privileged) {
      found.push(forbidden(at, 'Bidirectional mount propagation is available only to privileged containers'));
    }
  }
  if (recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled') return;
  const at = `${path}.recursiveReadOnly`;
  if (!RECURSIVE.includes(recursiveReadOnly)) {
    found.push(notSupported(at, recursiveReadOnly, RECURSIVE));
    return;
  }
  if (!mount.readOnly) found.push(forbidden(at, 'may only be specified when readOnly is true'));
  if (propagation !== undefined && propagation !== 'None') {
    found.push(forbidden(at, 'may only be specified when mountPropagation is None or not specified'));
  }
}

function validateVolumeDevices(
  found: Findings,
  devices: readonly Partial<VolumeDevice>[],
  mounts: readonly VolumeMount[],
  volumes: VolumesByName,
  path: string,
): void {
  const names = new Set<string>();
  const paths = new Set<string>();
  const mounted = placesOf(mounts, ({ mountPath }) => mountPath);
  for (const [index, device] of devices.entries()) {
    const { name = '', devicePath = '' } = device;
    const at = field.index(path, index);
    const volume = volumes.get(name);
    if (name === '') found.push(required(`${at}.name`, ''));
    if (names.has(name)) found.push(invalid(`${at}.name`, name, 'must be unique'));
    if (volume === undefined) found.push(notFoundValue(`${at}.name`, name));
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      const text = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      found.push(invalid(`${at}.name`, name, text));
    }
    if (devicePath === '') found.push(required(`${at}.devicePath`, ''));
    if (paths.has(devicePath)) found.push(invalid(`${at}.devicePath`, devicePath, 'must be unique'));
    if (pathHasBackstep(devicePath)) {
      found.push(invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')"));
    } else paths.add(devicePath);
    if (mounted.names.has(name)) found.push(invalid(`${at}.name`, name, 'must not already exist in volumeMounts'));
    if (mounted.paths.has(devicePath)) {
      found.push(invalid(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts'));
    }
    if (name !== '') names.add(name);
  }
}
