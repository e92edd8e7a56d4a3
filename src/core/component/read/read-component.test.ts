import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { API_VERSIONS } from '../../api/component/generations.ts';
import { snakeCase } from '../../api/component/language.ts';
import { problemText } from '../problem.ts';
import { brief, manifestOf, problemsOf, problemsOfText, readParts, readText, textOf } from '../testing/manifests.ts';
import { stringify } from 'yaml';

const app = (parts: Parameters<typeof readParts>[0]) => readParts(parts).component.spec.container.app;

describe('spellings', () => {
  it('snake_case and camelCase give the same component', () => {
    const snake = readText(`
api_version: kubernetes.planton.dev/v1
kind: KubernetesDaemonSet
metadata: {name: agent}
spec:
  namespace: {value: agents}
  min_ready_seconds: 3
  container:
    app:
      image: {repo: r, tag: t, pull_secret_name: s}
      volume_mounts: [{name: v, mount_path: /v, read_only: false, empty_dir: {size_limit: 1Gi}}]
`);
    const camel = readText(`
apiVersion: kubernetes.planton.dev/v1
kind: KubernetesDaemonSet
metadata: {name: agent}
spec:
  container:
    app:
      volumeMounts: [{emptyDir: {sizeLimit: 1Gi}, readOnly: false, mountPath: /v, name: v}]
      image: {pullSecretName: s, tag: t, repo: r}
  minReadySeconds: 3
  namespace: {value: agents}
`);
    expect(snake.problems).toEqual([]);
    expect(JSON.stringify(snake.component)).toBe(JSON.stringify(camel.component));
  });

  it('both for one field are refused', () => {
    expect(brief(problemsOf({ spec: { createNamespace: true, create_namespace: true } }))).toEqual([
      'EN_COMPONENT_FIELD_TWICE spec.create_namespace',
    ]);
  });

  it("Kubernetes' own spellings of host namespaces are known", () => {
    const { pod } = readParts({ pod: { hostPID: true, host_ipc: false } }).component.spec;
    expect(pod).toEqual({ hostPid: true, hostIpc: false });
  });
});

describe('generations', () => {
  it.each(API_VERSIONS)('%s is read', (apiVersion) => {
    const read = readText(stringify({ ...manifestOf(), apiVersion }));
    expect(read.problems).toEqual([]);
    expect(read.component.apiVersion).toBe('kubernetes.planton.dev/v1');
  });

  it('other versions are refused, the nearest is named', () => {
    const [problem] = problemsOfText(stringify({ ...manifestOf(), apiVersion: 'kubernetes.planton.dev/v2' }));
    expect(problem).toMatchObject({
      code: 'EN_COMPONENT_API_VERSION',
      path: 'apiVersion',
      place: { line: 1, column: 13 },
    });
    expect(problem?.suggestion).toContain('kubernetes.planton.dev/v1');
  });

  it('flat and nested host paths are the same', () => {
    const flat = app({
      app: { volume_mounts: [{ name: 'v', mount_path: '/v', host_path: '/h', host_path_type: 'File' }] },
    });
    const nested = app({
      app: { volumeMounts: [{ name: 'v', mountPath: '/v', hostPath: { path: '/h', type: 'File' } }] },
    });
    expect(flat).toEqual(nested);
  });

  it('a host path type beside the nested form is no field', () => {
    const mount = { name: 'v', mountPath: '/v', hostPath: { path: '/h' }, hostPathType: 'File' };
    expect(brief(problemsOf({ app: { volumeMounts: [mount] } }))).toEqual([
      'EN_COMPONENT_UNKNOWN_FIELD spec.container.app.volumeMounts[0].hostPathType',
    ]);
  });

  it('environments are read as lists, as maps of objects, as maps of texts and as bare ones', () => {
    const variables = [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ];
    const forms = [
      { variables },
      { variables: { B: { value: '2' }, A: { value: '1' } } },
      { variables: { B: '2', A: '1' } },
      { B: '2', A: '1' },
      variables,
    ];
    for (const env of forms) expect(app({ app: { env } }).env, JSON.stringify(env)).toEqual({ variables });
  });

  it('lists of variables keep their order, maps are sorted', () => {
    const names = (env: Parameters<typeof readParts>[0]['app']) =>
      app({ app: { env } }).env?.variables?.map(({ name }) => name);
    expect(
      names({
        variables: [
          { name: 'Z', value: '' },
          { name: 'A', value: '' },
        ],
      }),
    ).toEqual(['Z', 'A']);
    expect(names({ variables: { Z: '', A: '' } })).toEqual(['A', 'Z']);
  });

  it('images are read as objects and as texts', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    expect(app({ app: { image: 'localhost:5000/a/b:1.2' } }).image).toEqual({ repo: 'localhost:5000/a/b', tag: '1.2' });
    expect(app({ app: { image: `a/b@${digest}` } }).image).toEqual({ repo: 'a/b', digest });
    expect(app({ app: { image: `a/b:1@${digest}` } }).image).toEqual({ repo: 'a/b', tag: '1', digest });
  });

  it('ports of probes are read by number, by name and as Kubernetes writes them', () => {
    const probe = (httpGet: object) => app({ app: { livenessProbe: { httpGet } } as never }).livenessProbe?.httpGet;
    expect(probe({ port: 80 })).toEqual({ portNumber: 80 });
    expect(probe({ port: '80' })).toEqual({ portNumber: 80 });
    expect(probe({ port: 'http' })).toEqual({ portName: 'http' });
    expect(probe({ port_number: 80 })).toEqual({ portNumber: 80 });
  });

  it('ConfigMaps are one text or several', () => {
    const { configMaps } = readParts({ spec: { configMaps: { one: 'x', two: { 'a.conf': 'y' } } } }).component.spec;
    expect(configMaps).toEqual({ one: { one: 'x' }, two: { 'a.conf': 'y' } });
  });

  it('what an API server writes into metadata is passed over', () => {
    expect(problemsOf({ metadata: { uid: 'u', resourceVersion: '1', managedFields: [], generation: 2 } })).toEqual([]);
  });
});

describe('values', () => {
  it('zero, false and the empty text are values', () => {
    const { env, securityContext } = app({
      app: { env: { variables: { A: '' } }, securityContext: { runAsUser: 0, privileged: false } },
    });
    expect(env).toEqual({ variables: [{ name: 'A', value: '' }] });
    expect(securityContext).toEqual({ privileged: false, runAsUser: 0 });
  });

  it('null is absence', () => {
    expect(readParts({ spec: { nodeSelector: null } }).component.spec).not.toHaveProperty('nodeSelector');
  });

  it('numbers may be texts, texts may not be numbers', () => {
    expect(readParts({ spec: { minReadySeconds: '30' } }).component.spec.minReadySeconds).toBe(30);
    const [problem] = problemsOf({ app: { args: [8080] } });
    expect(problem).toMatchObject({
      code: 'EN_COMPONENT_TYPE',
      path: 'spec.container.app.args[0]',
      suggestion: 'put it in quotes',
    });
  });

  it.each([
    ['1', 1],
    ['0', 0],
    [2, 2],
    ['10%', '10%'],
    ['100%', '100%'],
  ])('the bound %j is %j', (given, bound) => {
    const { updateStrategy } = readParts({ spec: { updateStrategy: { rollingUpdate: { maxUnavailable: given } } } })
      .component.spec;
    expect(updateStrategy?.rollingUpdate?.maxUnavailable).toBe(bound);
  });

  it.each(['-1', 'one', '101%', '1.5', '%', '5 %', '1x', -1, 1.5, true])(
    'the bound %j is refused',
    (maxUnavailable) => {
      expect(problemsOf({ spec: { updateStrategy: { rollingUpdate: { maxUnavailable } } } })).toMatchObject([
        { path: 'spec.updateStrategy.rollingUpdate.maxUnavailable' },
      ]);
    },
  );

  it('octal modes are what they say', () => {
    const read = readText(
      textOf({}).replace(
        'image:',
        'volumeMounts: [{name: v, mountPath: /v, secret: {name: s, defaultMode: 0440}}]\n      image:',
      ),
    );
    expect(read.component.spec.container.app.volumeMounts?.[0]?.secret?.defaultMode).toBe(0o440);
  });
});

describe('problems', () => {
  const text = `apiVersion: kubernetes.planton.dev/v1
kind: KubernetesDaemonSet
metadata:
  name: Agent
spec:
  namespce: agents
  container:
    app:
      image: {repo: busybox, tag: 1.36}
      volume_mounts:
        - name: a
          mont_path: /a
          host_path: /a
          host_path_type: Directoy
`;

  it('are all told at once, each with its place, in order', () => {
    expect(problemsOfText(text).map(problemText)).toEqual([
      'agent.yaml:4:9: metadata.name: "Agent" is not a DNS name of at most 63 lower case letters, digits, dashes and dots [EN_COMPONENT_VALUE]',
      'agent.yaml:5:1: spec.namespace: is missing; expected a text, or valueFrom [EN_COMPONENT_REQUIRED]',
      'agent.yaml:6:3: spec.namespce: there is no such field (did you mean namespace?) [EN_COMPONENT_UNKNOWN_FIELD]',
      'agent.yaml:9:35: spec.container.app.image.tag: expected an image tag: letters, digits, dots, dashes and underscores, at most 128, found the number 1.36 (put it in quotes) [EN_COMPONENT_TYPE]',
      'agent.yaml:11:11: spec.container.app.volume_mounts[0].mountPath: is missing; expected a text [EN_COMPONENT_REQUIRED]',
      'agent.yaml:12:11: spec.container.app.volume_mounts[0].mont_path: there is no such field (did you mean mount_path?) [EN_COMPONENT_UNKNOWN_FIELD]',
      'agent.yaml:14:27: spec.container.app.volume_mounts[0].host_path.type: "Directoy" is not one of DirectoryOrCreate, Directory, FileOrCreate, File, Socket, CharDevice, BlockDevice (did you mean Directory?) [EN_COMPONENT_VALUE]',
    ]);
  });

  it('a field that lives elsewhere is pointed to', () => {
    const [problem] = problemsOf({ spec: { hostNetwork: true } });
    expect(problem).toMatchObject({ code: 'EN_COMPONENT_UNKNOWN_FIELD', suggestion: 'there is spec.pod.hostNetwork' });
  });

  it('a document that is no mapping is told so', () => {
    expect(brief(problemsOfText('- a\n- b\n'))[0]).toBe('EN_COMPONENT_TYPE ');
  });

  it('short forms keep the path the author wrote', () => {
    const [problem] = problemsOf({ app: { env: { '1A': 'x' } } });
    expect(problem).toMatchObject({ path: 'spec.container.app.env["1A"]' });
  });

  it('hostile keys are data', () => {
    const labels = JSON.parse('{"__proto__": "x", "constructor": "y"}') as never;
    const read = readParts({ pod: { annotations: labels } });
    expect(read.problems).toEqual([]);
    expect(Object.keys(read.component.spec.pod?.annotations ?? {}).toSorted()).toEqual(['__proto__', 'constructor']);
    expect(brief(problemsOf({ spec: JSON.parse('{"__proto__": {"a": 1}}') as never }))).toEqual([
      'EN_COMPONENT_UNKNOWN_FIELD spec.__proto__',
    ]);
  });

  it('whatever stands anywhere, the reader answers', () => {
    const anything = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<never>;
    const name = fc.constantFrom(
      'namespace',
      'container',
      'pod',
      'tolerations',
      'updateStrategy',
      'rbac',
      'configMaps',
      'create_namespace',
      'x',
    );
    fc.assert(
      fc.property(name, anything, anything, (key, value, inner) => {
        expect(problemsOf({ spec: { [key]: value } })).toBeDefined();
        expect(
          problemsOf({ app: { [snakeCase(key)]: value, env: inner, image: inner, volumeMounts: [inner] } }),
        ).toBeDefined();
      }),
      { numRuns: 60 },
    );
  });
});
