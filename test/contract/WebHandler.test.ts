import type * as Engine from "@countersign/core/Engine"
import * as Http from "@countersign/http/Http"
import * as HttpContract from "@countersign/testing/HttpContract"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ContractSubject from "../support/ContractSubject.ts"
import { serveFetch } from "../support/fetchServer.ts"

const mount: HttpContract.Serve<never> = Effect.fnUntraced(function* (options) {
  const addresses = new WeakMap<Request, string>()
  const engine = yield* Effect.context<Engine.Engine>()
  const { dispose, handler } = Http.toWebHandler(Layer.succeedContext(engine), {
    ...options,
    clientAddress: (request) => addresses.get(request),
  })
  yield* Effect.addFinalizer(() => Effect.promise(dispose))
  const origin = yield* serveFetch((request, address) => {
    if (address !== undefined) addresses.set(request, address)
    return handler(request)
  })
  return `${origin}/api/v2`
})

HttpContract.suite("a fetch handler", ContractSubject.layer("memory", mount))
