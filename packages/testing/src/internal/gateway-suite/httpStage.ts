import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Adapter, Options, Platform } from "./subject.ts"
import { type Conduct, startVendor, type Vendor } from "./vendor.ts"

/** Starts a vendor and an adapter to it. */
export const staged = (
  options: Options,
  conduct: Conduct,
  scheme: "http" | "https" = "http",
): Effect.Effect<
  { readonly vendor: Vendor; readonly adapter: Adapter },
  never,
  Platform | Scope.Scope
> =>
  Effect.gen(function* () {
    const vendor = yield* startVendor(scheme)
    vendor.conduct(conduct)
    return { vendor, adapter: yield* options.make(vendor.baseUrl) }
  })
