/**
 * The dashboard of the engine, behind a password. An application with cookies of its own asks its sessions in
 * `authorize`; the tokens of this one are for programs.
 */
import { dashboard, signInWithPassword } from "@countersign/dashboard"
import * as Admin from "@countersign/http/admin/Admin"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

/** Adds `/dashboard` to the router, if there is a password. */
export const layerRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const password = yield* Config.option(Config.Redacted("DASHBOARD_PASSWORD"))
    if (Option.isNone(password)) return Layer.empty
    return Admin.layerRoutes({
      basePath: "/dashboard",
      authorize: signInWithPassword({ password: Redacted.value(password.value) }),
      pages: dashboard({ signOutUrl: "sign-out" }),
    })
  }),
)
