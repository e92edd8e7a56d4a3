/** Lasting containers that name resources, but request no CPU or no memory. */
import { defineLint } from '../contract/lint.ts';
import { runsForLong } from '../parts/containers.ts';

export const missingRequests = defineLint({
  name: 'missing-requests',
  level: 'warning',
  why: 'Without requests nothing is set aside for the daemon, and it is the first to be evicted',
  *check({ containers }) {
    for (const declared of containers) {
      const { resources } = declared.container;
      if (resources === undefined || !runsForLong(declared)) continue;
      const { limits = {}, requests = {} } = resources;
      // Kubernetes takes a limit without a request for both.
      const missing = ['cpu', 'memory'].filter(
        (name) => !Object.hasOwn(requests, name) && !Object.hasOwn(limits, name),
      );
      if (missing.length > 0)
        yield { path: [...declared.path, 'resources'], message: `requests no ${missing.join(' and no ')}` };
    }
  },
});
