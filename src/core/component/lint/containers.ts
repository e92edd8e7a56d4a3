/** Lints that look at one container at a time. */
import { DEFAULTS } from '../../api/component/defaults.ts';
import { containersOf, type Declared } from '../containers-of.ts';
import { meantAsFile } from '../render/volumes.ts';
import type { Lint, LintContext } from './context.ts';

type ContainerLint = (declared: Declared, context: LintContext) => void;

const runsForLong = ({ role, container }: Declared): boolean => role !== 'init' || container.restartPolicy === 'Always';

const { cpu, memory } = DEFAULTS.resources.limits;

const resources: ContainerLint = (declared, { report }) => {
  const { container, path } = declared;
  if (container.resources === undefined) {
    report(
      'default-resources',
      [...path, 'resources'],
      `says nothing; limits are ${cpu} CPU and ${memory}`,
      'say what it needs',
    );
    return;
  }
  const { limits = {}, requests = {} } = container.resources;
  for (const [list, amounts] of [['limits', limits] as const, ['requests', requests] as const])
    for (const [name, amount] of Object.entries(amounts))
      if (/^(?:memory|ephemeral-storage|hugepages-.*)$/.test(name) && amount.endsWith('m'))
        report(
          'fraction-of-a-byte',
          [...path, 'resources', list, name],
          `${amount} is less than it seems`,
          'Mi, or no unit',
        );
  if (!Object.hasOwn(limits, 'memory')) {
    report('missing-limits', [...path, 'resources'], 'has no memory limit', 'add limits.memory');
  }
  if (!runsForLong(declared)) return;
  // A limit without a request is one: Kubernetes takes it for both.
  const missing = ['cpu', 'memory'].filter((name) => !Object.hasOwn(requests, name) && !Object.hasOwn(limits, name));
  if (missing.length > 0) report('missing-requests', [...path, 'resources'], `requests no ${missing.join(' and no ')}`);
};

const image: ContainerLint = ({ container, path }, { report }) => {
  const { tag, digest } = container.image;
  if (digest !== undefined || tag !== 'latest') return;
  report('latest-image', [...path, 'image', 'tag'], 'the tag is latest', 'name a version, or a digest');
};

const DANGEROUS = new Set(['ALL', 'SYS_ADMIN', 'SYS_MODULE', 'SYS_RAWIO', 'SYS_BOOT', 'DAC_READ_SEARCH', 'MAC_ADMIN']);

const rights: ContainerLint = ({ container, path }, { report }) => {
  const { privileged, capabilities } = container.securityContext ?? {};
  const at = [...path, 'securityContext'];
  if (privileged === true) report('privileged', [...at, 'privileged'], 'the container is privileged');
  const add = capabilities?.add ?? [];
  if (add.length === 0) return;
  if (privileged === true) {
    const message = `${add.join(', ')}: a privileged container has them anyway`;
    report('capabilities-beside-privileged', [...at, 'capabilities', 'add'], message, 'try without privileged');
    return;
  }
  for (const [index, name] of add.entries()) {
    if (!DANGEROUS.has(name.toUpperCase().replace(/^CAP_/, ''))) continue;
    report('dangerous-capability', [...at, 'capabilities', 'add', index], `${name} is nearly as good as root`);
  }
  const drops = (capabilities?.drop ?? []).map((name) => name.toUpperCase());
  if (!drops.includes('ALL')) {
    report('capabilities-not-dropped', [...at, 'capabilities'], 'adds to what every container has', 'drop: [ALL]');
  }
};

const mounts: ContainerLint = ({ container, path }, { component, rendered, report }) => {
  const isWritable = new Set(hostPaths(component).keys());
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const at = [...path, 'volumeMounts', index];
    const hostPath = mount.hostPath?.path ?? hostPaths(component).get(mount.name);
    if (isWritable.has(mount.name) && mount.readOnly !== true) {
      const message = `${hostPath ?? mount.name} of the node can be written`;
      report('writable-host-path', [...at, 'readOnly'], message, 'readOnly: true');
    }
    if (rendered.identity.mode !== 'compatible') continue;
    if (meantAsFile(mount) !== undefined) {
      const message = `${mount.mountPath} will be a directory`;
      report('file-becomes-directory', [...at, 'mountPath'], message, 'add subPath');
    }
  }
};

function hostPaths(component: LintContext['component']): ReadonlyMap<string, string> {
  return new Map(
    containersOf(component).flatMap(({ container }) =>
      (container.volumeMounts ?? []).flatMap(({ name, hostPath }) =>
        hostPath === undefined ? [] : [[name, hostPath.path] as const],
      ),
    ),
  );
}

const probes: ContainerLint = ({ role, container, path }, { report }) => {
  if (role !== 'app' || container.readinessProbe !== undefined) return;
  report('missing-readiness', [...path, 'readinessProbe'], 'there is no readiness probe');
};

const secrets: ContainerLint = ({ container, path }, { rendered, report }) => {
  const { mode, namespace } = rendered.identity;
  for (const [index, { value, secretRef }] of (container.env?.secrets ?? []).entries()) {
    const at = [...path, 'env', 'secrets', index];
    // A reference that was resolved has no place in the manifest any more; only what was written counts.
    if (value?.origin.from === 'literal') {
      report('literal-secret', [...at, 'value'], 'the value stands in the manifest', 'use secretRef, env: or file:');
    }
    if (mode === 'compatible' && secretRef?.namespace !== undefined && secretRef.namespace !== namespace) {
      report('secret-namespace-ignored', [...at, 'secretRef', 'namespace'], `the pod looks in ${namespace}`);
    }
  }
};

const LINTS: readonly ContainerLint[] = [resources, image, rights, mounts, probes, secrets];

export const containerLints: Lint = (context) => {
  for (const declared of containersOf(context.component)) for (const lint of LINTS) lint(declared, context);
};
