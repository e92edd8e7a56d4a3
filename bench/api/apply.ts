/**
 * Server-side apply in process: a manifest of a hundred lines applied again and again. Every other round one image
 * differs, so that applies with and without a change are measured; each manifest is parsed afresh, as it would be from
 * a request.
 */
import { parse } from 'yaml';
import { LOOPBACK } from '../../src/apiserver/contract/users.ts';
import { bootstrap } from '../../src/apiserver/bootstrap.ts';
import { createInProcessClient } from '../../src/apiserver/inprocess/in-process-client.ts';
import { openClusterStore } from '../../src/assembly/cluster-store.ts';
import { createEmbeddedApi } from '../../src/assembly/embedded-api.ts';
import { DEPLOYMENTS } from '../../src/core/api/registry/resources.ts';
import type { Deployment } from '../../src/core/api/types/apps-v1.ts';
import { silentLogger } from '../../src/machinery/logging/logger.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { throughput } from '../support/load.ts';
import { reportCase } from '../support/report.ts';

const RUNS = 5;
const WARM_UP = 1000;
const COUNT = 5000;

const manifest = (image: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  namespace: default
  labels:
    app.kubernetes.io/name: shop
    app.kubernetes.io/part-of: store
  annotations:
    example.com/owner: team-a
spec:
  replicas: 3
  revisionHistoryLimit: 5
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  selector:
    matchLabels:
      app.kubernetes.io/name: shop
  template:
    metadata:
      labels:
        app.kubernetes.io/name: shop
      annotations:
        prometheus.io/scrape: "true"
    spec:
      serviceAccountName: default
      terminationGracePeriodSeconds: 20
      securityContext:
        runAsNonRoot: true
      initContainers:
        - name: migrate
          image: ${image}
          args: ["migrate"]
          env:
            - name: DATABASE
              value: shop
      containers:
        - name: web
          image: ${image}
          args:
            - serve
            - --listen=:8080
          ports:
            - name: http
              containerPort: 8080
            - name: metrics
              containerPort: 9090
          env:
            - name: DATABASE
              value: shop
            - name: NODE
              valueFrom:
                fieldRef:
                  fieldPath: spec.nodeName
            - name: TOKEN
              valueFrom:
                secretKeyRef:
                  name: shop
                  key: token
          resources:
            requests:
              cpu: 100m
              memory: 128Mi
            limits:
              memory: 256Mi
          readinessProbe:
            httpGet:
              path: /ready
              port: http
          livenessProbe:
            httpGet:
              path: /live
              port: http
          volumeMounts:
            - name: config
              mountPath: /etc/shop
            - name: scratch
              mountPath: /tmp
      volumes:
        - name: config
          configMap:
            name: shop
        - name: scratch
          emptyDir: {}
`;

const parsed = (image: string): string => JSON.stringify(parse(manifest(image)));

async function measure(images: readonly string[]): Promise<number> {
  const store = await openClusterStore(undefined, realClock, silentLogger);
  const client = createInProcessClient(createEmbeddedApi(store, silentLogger), { user: LOOPBACK });
  try {
    await bootstrap(client);
    const texts = images.map(parsed);
    const apply = (i: number): Promise<unknown> =>
      client.apply(DEPLOYMENTS, JSON.parse(texts[i % texts.length] ?? '') as Deployment, { fieldManager: 'bench' });
    await throughput(WARM_UP, 1, apply);
    return await throughput(COUNT, 1, apply);
  } finally {
    await store.close();
  }
}

const MEASURES: { readonly [name: string]: () => Promise<number> } = {
  'apply-ssa': () => measure(['registry.example/shop:v1']),
  'apply-ssa-change': () => measure(['registry.example/shop:v1', 'registry.example/shop:v2']),
};

export async function run(cases: readonly string[]): Promise<void> {
  for (const name of cases) {
    const samples: number[] = [];
    for (let i = 0; i < RUNS; i += 1) samples.push((await MEASURES[name]?.()) ?? Number.NaN);
    reportCase({ bench: 'api', case: name, unit: '/s', better: 'higher', samples });
  }
}
