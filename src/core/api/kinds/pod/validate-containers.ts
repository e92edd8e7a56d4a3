/** Containers of every kind: regular, init, sidecar, ephemeral. */
import {
  duplicate,
  field,
  forbidden,
  invalid,
  notFoundValue,
  notSupported,
  required,
  tooMany,
} from '../../../kube/field-errors.ts';
import { dns1123LabelProblems } from '../../../kube/names.ts';
import { portNameProblems, portNumberProblems } from '../../../kube/value-formats.ts';
import type {
  Container,
  ContainerPort,
  ContainerResizePolicy,
  ContainerRestartRule,
  EphemeralContainer,
  PodSpec,
} from '../../types/core-v1.ts';
import type { AnyContainer } from './containers.ts';
import { isSidecar } from './defaults/default-pod-resources.ts';
import type { Findings } from '../../rules/findings.ts';
import { addTexts, listOf } from '../../rules/findings.ts';
import type { PodOptions } from './options.ts';
import { validateEnv, validateEnvFrom } from './validate-env.ts';
import { validateMounts } from './validate-mounts.ts';
import { validateLifecycle, validateLivenessOrStartup, validateReadiness } from './validate-probes.ts';
import { validateContainerResources } from './validate-resources.ts';
import { validateSecurityContext } from './validate-security.ts';
import type { VolumesByName } from './validate-volumes.ts';
import { validatePullPolicy } from './volume-files.ts';

/** Facts about the surrounding pod that the rules for a container read. */
export interface ContainerContext {
  readonly options: PodOptions;
  readonly allowIndivisibleHugePages: boolean;
  readonly volumes: VolumesByName;
  readonly claims: ReadonlySet<string> | undefined;
  readonly grace: number | undefined;
  readonly os: string | undefined;
  readonly podRestartPolicy: string;
  readonly hostUsers: boolean;
}

export function validateContainers(
  found: Findings,
  containers: readonly Container[] | undefined,
  context: ContainerContext,
  path: string,
): void {
  if (containers === undefined || containers.length === 0) {
    found.push(required(path, ''));
    return;
  }
  const names = new Set<string>();
  for (let index = 0; index < containers.length; index++) {
    const container = containers[index] as Container;
    const at = field.index(path, index);
    validateCommon(found, container, context, at);
    if (names.has(container.name)) found.push(duplicate(`${at}.name`, container.name));
    names.add(container.name);
    validateLifecycleAndProbes(found, container, context, at);
    validateRestartPolicy(found, container, false, at);
    if (context.options.isPod) validateImageSpaces(found, container, at);
  }
  validateHostPorts(found, containers, path);
}

export function validateInitContainers(
  found: Findings,
  containers: readonly Container[] | undefined,
  regular: readonly Container[],
  context: ContainerContext,
  path: string,
): void {
  if (containers === undefined || containers.length === 0) return;
  const names = new Set(regular.map(({ name }) => name));
  for (const [index, container] of containers.entries()) {
    const at = field.index(path, index);
    validateCommon(found, container, context, at);
    validateRestartPolicy(found, container, true, at);
    if (context.options.isPod) validateImageSpaces(found, container, at);
    if (names.has(container.name)) found.push(duplicate(`${at}.name`, container.name));
    else if (container.name) names.add(container.name);
    // Init containers run one by one, so each is judged as if it were the only one.
    validateHostPorts(found, [container], path);
    if (isSidecar(container)) validateLifecycleAndProbes(found, container, context, at);
    else validateRunsOnce(found, container, context, at);
  }
}

const FOR_SIDECARS_ONLY = 'may not be set for init containers without restartPolicy=Always';

function validateRunsOnce(found: Findings, container: Container, { options }: ContainerContext, path: string): void {
  for (const key of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    if (container[key] !== undefined) found.push(forbidden(`${path}.${key}`, FOR_SIDECARS_ONLY));
  }
  if (options.allowRestartOnInitResize) return;
  for (const [index, { restartPolicy }] of listOf(container.resizePolicy).entries()) {
    if (restartPolicy !== 'RestartContainer') continue;
    const text = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    found.push(invalid(`${path}.resizePolicy[${index}].restartPolicy`, restartPolicy, text));
  }
}

function validateLifecycleAndProbes(
  found: Findings,
  container: Container,
  { grace, os }: ContainerContext,
  path: string,
): void {
  validateLifecycle(found, container.lifecycle, grace, os, `${path}.lifecycle`);
  validateLivenessOrStartup(found, container.livenessProbe, `${path}.livenessProbe`);
  validateReadiness(found, container.readinessProbe, `${path}.readinessProbe`);
  validateLivenessOrStartup(found, container.startupProbe, `${path}.startupProbe`);
}

const NOT_EPHEMERAL = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;

/** Ephemeral containers serve debugging; no other part of the pod may depend on them. */
export function validateEphemeralContainers(
  found: Findings,
  spec: PodSpec,
  context: ContainerContext,
  path: string,
): void {
  const others = new Set([...listOf(spec.containers), ...listOf(spec.initContainers)].map(({ name }) => name));
  const names = new Set<string | undefined>(others);
  const refusal = 'cannot be set for an Ephemeral Container';
  for (const [index, container] of listOf(spec.ephemeralContainers).entries()) {
    const at = field.index(path, index);
    validateCommon(found, container, context, at);
    validateImageSpaces(found, container, at);
    if (names.has(container.name)) found.push(duplicate(`${at}.name`, container.name));
    names.add(container.name);
    const target = container.targetContainerName;
    if (target && !others.has(target)) found.push(notFoundValue(`${at}.targetContainerName`, target));
    for (const key of NOT_EPHEMERAL) if (isGiven(container, key)) found.push(forbidden(`${at}.${key}`, refusal));
    for (const [position, { subPath, subPathExpr }] of listOf(container.volumeMounts).entries()) {
      if (subPath) found.push(forbidden(`${at}.volumeMounts[${position}].subPath`, refusal));
      if (subPathExpr) found.push(forbidden(`${at}.volumeMounts[${position}].subPathExpr`, refusal));
    }
  }
}

function isGiven(container: EphemeralContainer, key: (typeof NOT_EPHEMERAL)[number]): boolean {
  const value = container[key];
  return value !== undefined && (key !== 'resources' || Object.keys(value).length > 0);
}

/** Applied to pods only; a template's image may be a placeholder. */
function validateImageSpaces(found: Findings, { image = '' }: AnyContainer, path: string): void {
  if (image.trim() !== image) {
    found.push(invalid(`${path}.image`, image, 'must not have leading or trailing whitespace'));
  }
}

const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];

function validateCommon(found: Findings, container: AnyContainer, context: ContainerContext, path: string): void {
  const { name, image, terminationMessagePolicy: policy, ports, env, envFrom, resources, resizePolicy } = container;
  if (!name) found.push(required(`${path}.name`, ''));
  else addTexts(found, `${path}.name`, name, dns1123LabelProblems(name));
  if (!image) found.push(required(`${path}.image`, ''));
  if (!policy) found.push(required(`${path}.terminationMessagePolicy`, ''));
  else if (!MESSAGE_POLICIES.includes(policy)) {
    found.push(notSupported(`${path}.terminationMessagePolicy`, policy, MESSAGE_POLICIES));
  }
  if (ports !== undefined) validatePorts(found, ports, `${path}.ports`);
  if (env !== undefined) validateEnv(found, env, `${path}.env`);
  if (envFrom !== undefined) validateEnvFrom(found, envFrom, `${path}.envFrom`);
  validateMounts(found, container, context.volumes, path);
  validatePullPolicy(found, container.imagePullPolicy, `${path}.imagePullPolicy`);
  validateContainerResources(found, resources, context, `${path}.resources`);
  if (resizePolicy !== undefined) {
    validateResizePolicy(found, resizePolicy, context.podRestartPolicy, `${path}.resizePolicy`);
  }
  validateSecurityContext(found, container.securityContext, context.hostUsers, `${path}.securityContext`);
}

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

function validatePorts(found: Findings, ports: readonly ContainerPort[], path: string): void {
  const names = new Set<string>();
  for (let index = 0; index < ports.length; index++) {
    const { name, containerPort, hostPort, protocol } = ports[index] as ContainerPort;
    const at = field.index(path, index);
    if (name) {
      const texts = portNameProblems(name);
      addTexts(found, `${at}.name`, name, texts);
      if (texts.length === 0 && names.has(name)) found.push(duplicate(`${at}.name`, name));
      if (texts.length === 0) names.add(name);
    }
    if (!containerPort) found.push(required(`${at}.containerPort`, ''));
    else addTexts(found, `${at}.containerPort`, containerPort, portNumberProblems(containerPort));
    if (hostPort) addTexts(found, `${at}.hostPort`, hostPort, portNumberProblems(hostPort));
    if (!protocol) found.push(required(`${at}.protocol`, ''));
    else if (!PROTOCOLS.includes(protocol)) found.push(notSupported(`${at}.protocol`, protocol, PROTOCOLS));
  }
}

/** A port of the host can be taken once. */
function validateHostPorts(found: Findings, containers: readonly Container[], path: string): void {
  let taken: Set<string> | undefined;
  for (let index = 0; index < containers.length; index++) {
    const ports = containers[index]?.ports;
    if (ports === undefined) continue;
    for (let position = 0; position < ports.length; position++) {
      const { hostPort, protocol = '', hostIP = '' } = ports[position] as ContainerPort;
      if (!hostPort) continue;
      const place = `${protocol}/${hostIP}/${hostPort}`;
      taken ??= new Set();
      if (taken.has(place)) found.push(duplicate(`${path}[${index}].ports[${position}].hostPort`, place));
      taken.add(place);
    }
  }
}

const RESIZABLE = ['cpu', 'memory'];
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer'];

function validateResizePolicy(
  found: Findings,
  policies: readonly ContainerResizePolicy[],
  podRestartPolicy: string,
  path: string,
): void {
  const seen = new Set<string>();
  for (const [index, { resourceName = '', restartPolicy = '' }] of policies.entries()) {
    if (seen.has(resourceName)) found.push(duplicate(field.index(path, index), resourceName));
    seen.add(resourceName);
    if (resourceName === '') found.push(required(path, ''));
    else if (!RESIZABLE.includes(resourceName)) found.push(notSupported(path, resourceName, RESIZABLE));
    if (restartPolicy === '') found.push(required(path, ''));
    else if (!RESIZE_POLICIES.includes(restartPolicy)) found.push(notSupported(path, restartPolicy, RESIZE_POLICIES));
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired') {
      found.push(invalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    }
  }
}

const RESTART_POLICIES = ['Always', 'Never', 'OnFailure'];
const RESTART_ACTIONS = ['Restart', 'RestartAllContainers'];
const EXIT_CODE_OPERATORS = ['In', 'NotIn'];
const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;

function validateRestartPolicy(found: Findings, container: Container, isInit: boolean, path: string): void {
  const { restartPolicy: policy, restartPolicyRules: rules } = container;
  const at = `${path}.restartPolicy`;
  if (policy === undefined) {
    if (listOf(rules).length === 0) return;
    found.push(required(at, 'must specify restartPolicy when restart rules are used'));
    if (isInit) return;
  } else if (!RESTART_POLICIES.includes(policy)) found.push(notSupported(at, policy, RESTART_POLICIES));
  if (listOf(rules).length > MAX_RULES) {
    found.push(tooMany(`${path}.restartPolicyRules`, listOf(rules).length, MAX_RULES));
  }
  for (const [index, rule] of listOf(rules).entries()) {
    validateRestartRule(found, rule, `${path}.restartPolicyRules[${index}]`);
  }
}

function validateRestartRule(
  found: Findings,
  { action = '', exitCodes }: Partial<ContainerRestartRule>,
  path: string,
): void {
  if (!RESTART_ACTIONS.includes(action)) found.push(notSupported(`${path}.action`, action, RESTART_ACTIONS));
  if (exitCodes === undefined) {
    found.push(required(`${path}.exitCodes`, 'must be specified'));
    return;
  }
  const { values } = exitCodes;
  const operator = exitCodes.operator ?? '';
  if (!EXIT_CODE_OPERATORS.includes(operator)) {
    found.push(notSupported(`${path}.exitCodes.operator`, operator, EXIT_CODE_OPERATORS));
  }
  if (listOf(values).length > MAX_EXIT_CODES) {
    found.push(tooMany(`${path}.exitCodes.values`, listOf(values).length, MAX_EXIT_CODES));
  }
}
