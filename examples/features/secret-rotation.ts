/** The secret that codes are hashed with changes without downtime. */
import assert from "node:assert/strict"
import { mkdtempDisposableSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createCountersign, developmentGateway } from "countersign"

using folder = mkdtempDisposableSync(join(tmpdir(), "countersign-"))
const gateway = developmentGateway()
const start = (...secret: ReadonlyArray<string>) =>
  createCountersign({
    database: { folder: folder.path },
    secret,
    gateways: [gateway],
    log: () => {},
  })
const old = "the old secret, of 32 characters or more"
const next = "the next secret, of 32 characters or more"
const phoneNumber = "+8801712345678"

/** Checks the code that the node before has sent, and sends another one. */
const node = async (before: string | undefined, ...secret: ReadonlyArray<string>) => {
  await using countersign = await start(...secret)
  const { verifications } = countersign
  if (before !== undefined) {
    await verifications.verify({ requestId: before, code: gateway.latestCode(phoneNumber) })
  }
  const { requestId } = await verifications.send({ phoneNumber })
  return requestId
}

const first = await node(undefined, old)
const second = await node(first, next, old)
const third = await node(second, next)
await assert.rejects(node(third, old), { code: "unavailable", reason: "secret" })
await assert.rejects(start("a secret that came out of nowhere, alas"), { name: "StartError" })
