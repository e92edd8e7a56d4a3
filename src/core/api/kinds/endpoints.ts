import { type FieldError, field, invalid, notSupported, required } from '../../kube/field-errors.ts';
import { dns1123LabelProblems, nameIsDnsSubdomain, qualifiedNameProblems } from '../../kube/names.ts';
import { portNumberProblems } from '../../kube/value-formats.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { createGenericStrategy } from '../kind/generic-strategy.ts';
import { deepEqual } from '../../kube/immutable.ts';
import type { EndpointAddress, EndpointPort, Endpoints, EndpointSubset } from '../types/core-v1.ts';
import { validateEndpointIP, validateIP, warningsForIP } from '../../kube/ip.ts';
import { append } from '../rules/append.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';
import { mapped } from '../rules/objects.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
export const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

const all = (path: string, value: string, problems: readonly string[]): FieldError[] =>
  problems.map((text) => invalid(path, value, text));

function validateAddress(address: EndpointAddress, path: string): readonly FieldError[] {
  const { ip, hostname, nodeName } = address;
  const errors = [...validateIP(field.child(path, 'ip'), ip)];
  if (hostname) append(errors, all(field.child(path, 'hostname'), hostname, dns1123LabelProblems(hostname)));
  if (nodeName !== undefined) {
    append(errors, all(field.child(path, 'nodeName'), nodeName, nameIsDnsSubdomain(nodeName, false)));
  }
  append(errors, validateEndpointIP(field.child(path, 'ip'), ip));
  return errors;
}

function validatePort(endpointPort: EndpointPort, needsName: boolean, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { name = '', port, protocol = '', appProtocol } = endpointPort;
  if (name !== '') append(errors, all(field.child(path, 'name'), name, dns1123LabelProblems(name)));
  else if (needsName) errors.push(required(field.child(path, 'name'), ''));
  for (const text of portNumberProblems(port)) errors.push(invalid(field.child(path, 'port'), port, text));
  if (protocol === '') errors.push(required(field.child(path, 'protocol'), ''));
  else if (!PROTOCOLS.includes(protocol)) {
    errors.push(notSupported(field.child(path, 'protocol'), protocol, PROTOCOLS));
  }
  if (appProtocol !== undefined) {
    append(errors, all(field.child(path, 'appProtocol'), appProtocol, qualifiedNameProblems(appProtocol)));
  }
  return errors;
}

function validateSubset(subset: EndpointSubset, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
  if (addresses.length === 0 && notReadyAddresses.length === 0) {
    errors.push(required(path, 'must specify `addresses` or `notReadyAddresses`'));
  }
  for (const [index, address] of addresses.entries()) {
    append(errors, validateAddress(address, field.index(field.child(path, 'addresses'), index)));
  }
  for (const [index, address] of notReadyAddresses.entries()) {
    append(errors, validateAddress(address, field.index(field.child(path, 'notReadyAddresses'), index)));
  }
  for (const [index, port] of ports.entries()) {
    append(errors, validatePort(port, ports.length > 1, field.index(field.child(path, 'ports'), index)));
  }
  return errors;
}

const validateSubsets = (endpoints: Endpoints): readonly FieldError[] =>
  (endpoints.subsets ?? []).flatMap((subset, index) => validateSubset(subset, field.index('subsets', index)));

function validate(endpoints: Endpoints): FieldError[] {
  return [...validateObjectMeta(endpoints.metadata, RULES, 'metadata'), ...validateSubsets(endpoints)];
}

const withProtocols = (subset: EndpointSubset): EndpointSubset => {
  if (!subset.ports) return subset;
  const ports = mapped(subset.ports, (port) => (port.protocol ? port : { ...port, protocol: 'TCP' }));
  return ports === subset.ports ? subset : { ...subset, ports };
};

export const endpointsStrategy: KindStrategy<Endpoints> = {
  ...createGenericStrategy<Endpoints>({ namespaced: true, hasStatus: false, hasGeneration: false }),
  allowCreateOnUpdate: true,
  defaults(endpoints) {
    if (!endpoints.subsets) return endpoints;
    const subsets = mapped(endpoints.subsets, withProtocols);
    return subsets === endpoints.subsets ? endpoints : { ...endpoints, subsets };
  },
  validate,
  validateUpdate(endpoints, old) {
    const errors = validateObjectMetaUpdate(endpoints.metadata, old.metadata, 'metadata');
    append(errors, validateObjectMeta(endpoints.metadata, RULES, 'metadata'));
    // Validation ratcheting: subsets that the update did not change are not validated again.
    if (!deepEqual(endpoints.subsets, old.subsets)) append(errors, validateSubsets(endpoints));
    return errors;
  },
  warnings: (endpoints) =>
    (endpoints.subsets ?? []).flatMap((subset, i) => [
      ...(subset.addresses ?? []).flatMap(({ ip }, j) => warningsForIP(`subsets[${i}].addresses[${j}].ip`, ip)),
      ...(subset.notReadyAddresses ?? []).flatMap(({ ip }, j) =>
        warningsForIP(`subsets[${i}].notReadyAddresses[${j}].ip`, ip),
      ),
    ]),
};
