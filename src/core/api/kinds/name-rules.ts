export { dns1123SubdomainProblems as isDNS1123Subdomain } from '../../kube/names.ts';
