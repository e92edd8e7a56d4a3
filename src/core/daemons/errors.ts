/** Every code of this room's errors and what it means. A code is never renamed. */
export const DAEMONS_ERROR_CODES = {
  EN_DAEMONS_GVK: 'A custom daemon kind is not written as group/version/kind',
} as const;
