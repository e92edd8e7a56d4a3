/** Every code of this room's errors and what it means. A code is never renamed. */
export const ASSEMBLY_ERROR_CODES = {
  EN_ASSEMBLY_KEYS: 'The keys in the data directory cannot be read or do not belong together',
  EN_ASSEMBLY_UNSIGNED: 'A certificate was asked for and approved, but refused by its signer or signed by nobody',
  EN_ASSEMBLY_UNKNOWN_CONTROLLER: 'The list of controllers names one that there is not',
} as const;
