/** Containers. */
import { DEFAULTS } from '../../api/component/defaults.ts';
import type { ComponentContainer, ComponentImage } from '../../api/component/types.ts';
import type { Container, ContainerPort } from '../../api/types/core-v1.ts';
import type { Declared } from '../containers-of.ts';
import { type EnvContext, envFromOf, envOf } from './env.ts';
import { present, unlessEmpty } from './present.ts';
import { lifecycleOf, probeOf } from './probes.ts';
import { mountsOf } from './volumes.ts';

const imageOf = ({ repo, tag, digest }: ComponentImage): string =>
  `${repo}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;

const portsOf = ({ ports }: ComponentContainer): readonly ContainerPort[] =>
  (ports ?? []).map(({ name, containerPort, networkProtocol, hostPort }) =>
    present<ContainerPort>({
      name,
      containerPort,
      protocol: networkProtocol ?? DEFAULTS.protocol,
      hostPort: hostPort === 0 ? undefined : hostPort,
    }),
  );

export function containerOf(declared: Declared, context: EnvContext): Container {
  const { container, role } = declared;
  const { identity } = context;
  return present<Container>({
    name: role === 'app' ? identity.containerName : (container.name ?? ''),
    image: imageOf(container.image),
    imagePullPolicy: container.imagePullPolicy,
    command: unlessEmpty(container.command),
    args: unlessEmpty(container.args),
    workingDir: container.workingDir,
    ports: unlessEmpty(portsOf(container)),
    envFrom: unlessEmpty(envFromOf(declared)),
    env: unlessEmpty(envOf(declared, context)),
    resources: container.resources ?? DEFAULTS.resources,
    volumeMounts: unlessEmpty(mountsOf(container.volumeMounts, identity.mode)),
    livenessProbe: probeOf(container.livenessProbe),
    readinessProbe: probeOf(container.readinessProbe),
    startupProbe: probeOf(container.startupProbe),
    lifecycle: lifecycleOf(container.lifecycle),
    securityContext: container.securityContext,
    restartPolicy: container.restartPolicy,
    terminationMessagePolicy: container.terminationMessagePolicy,
  });
}
