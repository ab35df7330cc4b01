/** The database stores phone numbers encrypted, and searches still find them. */
import assert from "node:assert/strict"
import { mkdtempDisposableSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createCountersign, developmentGateway } from "countersign"

using folder = mkdtempDisposableSync(join(tmpdir(), "countersign-"))
const start = (...phoneNumberSecret: ReadonlyArray<string>) =>
  createCountersign({
    database: { folder: folder.path, phoneNumberSecret },
    gateways: [developmentGateway()],
    log: () => {},
  })
const old = "the old secret, of 32 characters or more"
const next = "the next secret, of 32 characters or more"
const phoneNumber = "+8801712345678"

/** Sends a message, and counts those that a search by the number finds. */
const node = async (...secrets: ReadonlyArray<string>) => {
  await using countersign = await start(...secrets)
  await countersign.messages.send({ phoneNumber, text: "Your parcel is here" })
  return (await countersign.messages.list({ phoneNumber })).items.length
}

assert.equal(await node(old), 1)
assert.equal(await node(next, old), 2)
// Too early: rows under the old secret are left.
await assert.rejects(node(next), /encrypted under the secret "R-kC1qa2R4_e", which is missing/)
