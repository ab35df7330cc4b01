import * as HttpContract from "@countersign/testing/HttpContract"
import * as Effect from "effect/Effect"
import { Elysia } from "elysia"
import * as ContractSubject from "../../support/ContractSubject.ts"
import { serveFetch } from "../../support/fetchServer.ts"
import { webHandler } from "../../support/mounts.ts"

/** As `docs/guides/frameworks/elysia.md` has it, on a server that knows nothing of Elysia. */
const serveElysia = Effect.fnUntraced(function* (options: HttpContract.MountOptions) {
  const { handle } = yield* webHandler(options)
  const addresses = new WeakMap<Request, string | undefined>()
  const answer = ({ request }: { readonly request: Request }) =>
    handle(request, { clientAddress: addresses.get(request) })
  const app = new Elysia()
    .all("/api/v2", answer, { parse: "none" })
    .all("/api/v2/*", answer, { parse: "none" })
  const origin = yield* serveFetch((request, clientAddress) => {
    addresses.set(request, clientAddress)
    return app.handle(request)
  })
  return `${origin}/api/v2`
})

HttpContract.suite("elysia", ContractSubject.layerServed("memory", serveElysia))
