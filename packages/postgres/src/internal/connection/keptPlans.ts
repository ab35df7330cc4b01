/**
 * Settings for plans that are made once for each connection. Every statement of the store finds its rows by an
 * index. With all other access paths disabled, the plan for an empty table is the same as for a full one.
 */
export const keptPlans = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  jit: "off",
} as const
