/** Every code of this room's errors and what it means. A code is never renamed: people search for it. */
export const KUBE_ERROR_CODES = {
  EN_KUBE_JSON_SYNTAX: 'A text is not JSON, or is nested too deeply; the message says where',
  EN_KUBE_NOT_JSON: 'A value could not be written as JSON (undefined in a list, NaN, a Date, a cycle)',
  EN_KUBE_JSON_PATCH: 'A JSON patch could not be applied: a path is missing, or a test failed',
  EN_KUBE_QUANTITY_INVALID: 'A text is no Kubernetes quantity',
  EN_KUBE_SELECTOR_INVALID: 'A label or field selector could not be parsed',
} as const;
