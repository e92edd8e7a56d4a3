/** How versions are converted: not at all but for their name, or by a webhook that must be named properly. */
import { type FieldError, field, forbidden, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { dns1035LabelProblems, dns1123SubdomainProblems } from '../../../kube/names.ts';
import { portNumberProblems } from '../../../kube/value-formats.ts';
import { append } from '../../rules/append.ts';
import type {
  CustomResourceConversion,
  CustomResourceDefinitionSpec,
  ServiceReference,
  WebhookClientConfig,
} from '../../types/apiextensions-v1.ts';

const child = field.child;
const ACCEPTED = ['v1', 'v1beta1'];

export interface ConversionRules {
  /**
   * True if an unreadable certificate is accepted: before the definition is Established, or if the stored one was
   * unreadable.
   */
  readonly anyCertificate: boolean;
  /** At least one review version must be one that everynode speaks. */
  readonly recognizedVersion: boolean;
}

export function validateConversion(spec: CustomResourceDefinitionSpec, rules: ConversionRules): readonly FieldError[] {
  const { conversion } = spec;
  if (conversion === undefined) return [];
  const path = 'spec.conversion';
  const errors: FieldError[] = [];
  const strategyPath = child(path, 'strategy');
  if (conversion.strategy !== 'None' && spec.preserveUnknownFields === true) {
    const text = 'must be None if spec.preserveUnknownFields is true';
    errors.push(invalid(strategyPath, conversion.strategy, text));
  }
  if (conversion.strategy === '') errors.push(required(strategyPath, ''));
  else if (conversion.strategy !== 'None' && conversion.strategy !== 'Webhook') {
    errors.push(notSupported(strategyPath, conversion.strategy, ['None', 'Webhook']));
  }
  if (conversion.strategy === 'Webhook') append(errors, webhookErrors(conversion, path, rules));
  else {
    const text = 'should not be set when strategy is not set to Webhook';
    const { webhook } = conversion;
    if (webhook?.clientConfig !== undefined) errors.push(forbidden(child(path, 'webhookClientConfig'), text));
    if ((webhook?.conversionReviewVersions.length ?? 0) > 0) {
      errors.push(forbidden(child(path, 'conversionReviewVersions'), text));
    }
  }
  return errors;
}

function webhookErrors(
  { webhook }: CustomResourceConversion,
  path: string,
  rules: ConversionRules,
): readonly FieldError[] {
  const at = child(path, 'webhookClientConfig');
  const errors: FieldError[] = [];
  const config = webhook?.clientConfig;
  if (config === undefined) errors.push(required(at, 'required when strategy is set to Webhook'));
  else append(errors, clientErrors(config, at, rules));
  const versions = webhook?.conversionReviewVersions ?? [];
  append(errors, reviewVersionErrors(versions, child(path, 'conversionReviewVersions'), rules.recognizedVersion));
  return errors;
}

function clientErrors(config: WebhookClientConfig, path: string, rules: ConversionRules): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { service, url } = config;
  if ((url === undefined) === (service === undefined)) {
    errors.push(required(path, 'exactly one of url or service is required'));
  } else if (url !== undefined) append(errors, urlErrors(url, child(path, 'url')));
  else if (service !== undefined) append(errors, serviceErrors(service, child(path, 'service')));
  const { caBundle = '' } = config;
  if (caBundle !== '' && !rules.anyCertificate && !hasCertificate(caBundle)) {
    const text = 'unable to load root certificates: unable to parse bytes as PEM block';
    errors.push(invalid(child(path, 'caBundle'), caBundle, text));
  }
  return errors;
}

/** Whether a bundle (base64 of PEM) holds a certificate at all. */
export function hasCertificate(caBundle: string): boolean {
  return /-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/.test(atob(caBundle.replace(/\s+/g, '')));
}

const FORM = '; desired format: https://host[/path]';

export function urlErrors(text: string, path: string): readonly FieldError[] {
  const url = URL.parse(text);
  if (url === null && /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text)) {
    return [required(path, `url must be a valid URL: parse ${JSON.stringify(text)}: invalid URL${FORM}`)];
  }
  const errors: FieldError[] = [];
  const scheme = url?.protocol.replace(/:$/, '') ?? '';
  // Go leaves the host empty for `x:///…`, where a browser takes the first step of the path as the host.
  const host = /^[^/]*:\/\/\//.test(text) ? '' : (url?.host ?? '');
  if (scheme !== 'https') errors.push(invalid(path, scheme, `'https' is the only allowed URL scheme${FORM}`));
  if (host === '') errors.push(invalid(path, host, `host must be specified${FORM}`));
  const user = url === null ? '' : [url.username, url.password].filter((part) => part !== '').join(':');
  if (user !== '') errors.push(invalid(path, user, 'user information is not permitted in the URL'));
  const fragment = url?.hash.slice(1) ?? '';
  if (fragment !== '') errors.push(invalid(path, fragment, 'fragments are not permitted in the URL'));
  const query = url?.search.slice(1) ?? '';
  if (query !== '') errors.push(invalid(path, query, 'query parameters are not permitted in the URL'));
  return errors;
}

export function serviceErrors(service: ServiceReference, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  // Kubernetes passes name and namespace in the wrong order, so its findings name them so.
  if (service.namespace === '') errors.push(required(child(path, 'name'), ''));
  if (service.name === '') errors.push(required(child(path, 'namespace'), ''));
  const port = service.port ?? 443;
  const problems = portNumberProblems(port);
  if (problems.length > 0) {
    errors.push(invalid(child(path, 'port'), port, `port is not valid: ${problems.join(', ')}`));
  }
  const at = child(path, 'path');
  const { path: urlPath = '' } = service;
  if (urlPath === '' || urlPath === '/') return errors;
  if (urlPath === '//') return [...errors, invalid(at, urlPath, 'segment[0] may not be empty')];
  if (!urlPath.startsWith('/')) errors.push(invalid(at, urlPath, "must start with a '/'"));
  for (const [i, step] of urlPath.slice(1).replace(/\/$/, '').split('/').entries()) {
    if (step === '') errors.push(invalid(at, urlPath, `segment[${i}] may not be empty`));
    else for (const text of dns1123SubdomainProblems(step)) errors.push(invalid(at, urlPath, `segment[${i}]: ${text}`));
  }
  return errors;
}

function reviewVersionErrors(versions: readonly string[], path: string, recognized: boolean): readonly FieldError[] {
  if (versions.length === 0) return [required(path, '')];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    const at = field.index(path, i);
    if (seen.has(version)) {
      errors.push(invalid(at, version, 'duplicate version'));
      continue;
    }
    seen.add(version);
    for (const text of dns1035LabelProblems(version)) errors.push(invalid(at, version, text));
  }
  if (recognized && !versions.some((version) => ACCEPTED.includes(version))) {
    errors.push(invalid(path, versions, `must include at least one of ${ACCEPTED.join(', ')}`));
  }
  return errors;
}

export const speaksReviewVersion = (conversion: CustomResourceConversion | undefined): boolean => {
  const versions = conversion?.webhook?.conversionReviewVersions ?? [];
  return versions.length === 0 || versions.some((version) => ACCEPTED.includes(version));
};
