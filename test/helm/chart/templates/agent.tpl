apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .Release.Name }}
  labels: {{- include "agent.labels" . | nindent 4 }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
  labels: {{- include "agent.labels" . | nindent 4 }}
data:
  level: {{ .Values.level | quote }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ .Release.Name }}-{{ .Release.Namespace }}
  labels: {{- include "agent.labels" . | nindent 4 }}
rules:
  - apiGroups: ['']
    resources: [pods, nodes]
    verbs: [get, list, watch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ .Release.Name }}-{{ .Release.Namespace }}
  labels: {{- include "agent.labels" . | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ .Release.Name }}-{{ .Release.Namespace }}
subjects:
  - kind: ServiceAccount
    name: {{ .Release.Name }}
    namespace: {{ .Release.Namespace }}
---
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: {{ .Release.Name }}
  labels: {{- include "agent.labels" . | nindent 4 }}
spec:
  selector:
    matchLabels:
      app.kubernetes.io/instance: {{ .Release.Name }}
  updateStrategy:
    rollingUpdate:
      maxUnavailable: 100%
  template:
    metadata:
      annotations:
        checksum/config: {{ .Values.level | sha256sum }}
      labels:
        app.kubernetes.io/instance: {{ .Release.Name }}
    spec:
      serviceAccountName: {{ .Release.Name }}
      terminationGracePeriodSeconds: 1
      containers:
        - name: agent
          image: {{ .Values.image }}
          ports:
            - name: metrics
              containerPort: 9100
          volumeMounts:
            - name: config
              mountPath: /etc/agent
      volumes:
        - name: config
          configMap:
            name: {{ .Release.Name }}
---
apiVersion: helm.example/v1
kind: Probe
metadata:
  name: {{ .Release.Name }}
spec:
  target: {{ .Release.Name }}.{{ .Release.Namespace }}.svc
{{- if .Values.dashboard.enabled }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}-dashboard
  labels: {{- include "agent.labels" . | nindent 4 }}
spec:
  selector:
    matchLabels:
      app: {{ .Release.Name }}-dashboard
  template:
    metadata:
      labels:
        app: {{ .Release.Name }}-dashboard
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - name: dashboard
          image: registry.example/dashboard:1
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .Release.Name }}-dashboard
spec:
  selector:
    app: {{ .Release.Name }}-dashboard
  ports:
    - port: 80
{{- end }}
