import * as HttpContract from "@countersign/testing/HttpContract"
import * as Effect from "effect/Effect"
import Koa from "koa"
import { createServer } from "node:http"
import * as ContractSubject from "../../support/ContractSubject.ts"
import { listening, nodeHandler } from "../../support/mounts.ts"

/** As `docs/guides/frameworks/koa.md` has it. */
const serveKoa = Effect.fnUntraced(function* (options: HttpContract.MountOptions) {
  const { listener } = yield* nodeHandler(options)
  const app = new Koa()
  app.use((context, next) => {
    if (!/^\/api\/v2(\/|$)/.test(context.path)) return next()
    context.respond = false
    listener(context.req, context.res)
    return undefined
  })
  return `${yield* listening(createServer(app.callback()))}/api/v2`
})

HttpContract.suite("koa", ContractSubject.layerServed("memory", serveKoa))
