/** Gives containers the namespace's defaults, and refuses what is outside its limits. Judged once per template. */
import { subtreeMemo } from '../../core/api/rules/memo.ts';
import type { Container, LimitRange, PersistentVolumeClaim, Pod, PodSpec } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../machinery/ports/admission.ts';
import type { Store } from '../store/store.ts';
import { perTenant } from '../cache/committed-cache.ts';
import { aggregated, forbid } from './forbid.ts';
import { claimComplaints, podComplaints, withDefaults } from './limit-ranger-rules.ts';
import { createNamespacedCache } from '../cache/namespaced-cache.ts';

const ALLOWED: AdmissionResponse = { allowed: true };
const NOTE = 'kubernetes.io/limit-ranger';

type Ranges = readonly Stored<LimitRange>[];

export function createLimitRanger(store: Store): AdmissionPlugin {
  const rangesOf = perTenant((tenant) =>
    createNamespacedCache<Stored<LimitRange>>(store, { tenant, group: '', resource: 'limitranges' }),
  );
  const complete = createCompleter();
  const judge = createJudge();

  /** The LimitRanges that apply to this request; undefined: none. */
  const applicable = ({ namespace, oldObject, tenant }: AdmissionRequest): Ranges | undefined =>
    oldObject?.metadata.deletionTimestamp === undefined ? rangesOf(tenant).in(namespace) : undefined;

  return {
    name: 'LimitRanger',
    handles({ operation, resource, subresource }) {
      if (resource.group !== '') return false;
      if (resource.resource === 'pods') {
        return (operation === 'CREATE' && subresource === '') || (operation === 'UPDATE' && subresource === 'resize');
      }
      const isWrite = operation === 'CREATE' || operation === 'UPDATE';
      return resource.resource === 'persistentvolumeclaims' && subresource === '' && isWrite;
    },
    mutate(request) {
      const ranges = applicable(request);
      if (ranges === undefined || request.resource.resource !== 'pods') return ALLOWED;
      const pod = request.object as Pod;
      const object = complete(pod, ranges);
      return object === pod ? ALLOWED : { allowed: true, object };
    },
    validate(request) {
      const ranges = applicable(request);
      if (ranges === undefined) return ALLOWED;
      const why =
        request.resource.resource === 'pods'
          ? judge((request.object as Pod).spec, ranges)
          : firstComplaint(ranges, (range) => claimComplaints(range, request.object as PersistentVolumeClaim));
      return why === undefined ? ALLOWED : forbid(request, why);
    },
  };
}

interface Completed {
  readonly ranges: Ranges;
  readonly initContainers: PodSpec['initContainers'];
  readonly result: Pick<PodSpec, 'containers' | 'initContainers'>;
  /** The annotations of a pod that has none of its own. */
  readonly annotations: { readonly [key: string]: string } | undefined;
}

function createCompleter(): (pod: Pod, ranges: Ranges) => Pod {
  const memo = subtreeMemo<readonly Container[], Completed>();
  return (pod, ranges) => {
    const { spec } = pod;
    if (spec?.containers === undefined) return pod;
    const { containers, initContainers } = spec;
    let done = memo.get(containers);
    if (done === undefined || done.ranges !== ranges || done.initContainers !== initContainers) {
      done = completed(spec, ranges);
      memo.offer(containers, done);
    }
    if (done.annotations === undefined) return pod;
    const own = pod.metadata.annotations;
    const annotations = own === undefined ? done.annotations : { ...own, ...done.annotations };
    return { ...pod, metadata: { ...pod.metadata, annotations }, spec: { ...spec, ...done.result } };
  };
}

function completed(spec: PodSpec, ranges: Ranges): Completed {
  let current = spec;
  let note: string | undefined;
  for (const range of ranges) {
    const next = withDefaults(range, current);
    const { containers, initContainers } = next;
    current = { ...current, containers, ...(initContainers === undefined ? {} : { initContainers }) };
    // The annotation of the last LimitRange wins, as upstream.
    note = next.note ?? note;
  }
  const { containers, initContainers } = current;
  return {
    ranges,
    initContainers: spec.initContainers,
    result: { containers, ...(initContainers === undefined ? {} : { initContainers }) },
    annotations: note === undefined ? undefined : Object.freeze({ [NOTE]: note }),
  };
}

interface Judged {
  readonly ranges: Ranges;
  readonly initContainers: PodSpec['initContainers'];
  readonly resources: PodSpec['resources'];
  readonly why: string | undefined;
}

function createJudge(): (spec: PodSpec | undefined, ranges: Ranges) => string | undefined {
  const memo = subtreeMemo<readonly Container[], Judged>();
  return (spec, ranges) => {
    if (spec?.containers === undefined) return undefined;
    const { containers, initContainers, resources } = spec;
    const known = memo.get(containers);
    if (
      known !== undefined &&
      known.ranges === ranges &&
      known.initContainers === initContainers &&
      known.resources === resources
    ) {
      return known.why;
    }
    const why = firstComplaint(ranges, (range) => podComplaints(range, spec));
    memo.offer(containers, { ranges, initContainers, resources, why });
    return why;
  };
}

/** The complaints of the first range that has any. */
function firstComplaint(ranges: Ranges, complaintsOf: (range: LimitRange) => readonly string[]): string | undefined {
  for (const range of ranges) {
    const complaints = complaintsOf(range);
    if (complaints.length > 0) return aggregated(complaints);
  }
  return undefined;
}
