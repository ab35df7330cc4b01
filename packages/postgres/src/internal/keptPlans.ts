/**
 * Every statement of the store finds its rows by an index, in tables of any size. With all
 * other ways ruled out the plan is the same whether it was made on an empty table or on a full one, so
 * it is made once for each connection, and not again for every batch. No plan is worth compiling, either.
 */
export const keptPlans = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  jit: "off",
} as const
