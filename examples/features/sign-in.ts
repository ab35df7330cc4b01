/** A code signs its phone number in once. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

const gateway = developmentGateway()
await using countersign = await createCountersign({ database: "memory", gateways: [gateway] })
const { verifications } = countersign
const purpose = "login" // a code for something else does not sign in
const phoneNumber = "+8801712345678"

const { requestId } = await verifications.send({ phoneNumber, purpose })
const code = gateway.latestCode(phoneNumber) // what the user types

// A wrong code costs an attempt.
const wrong = verifications.verify({ requestId, code: "wrong", purpose })
await assert.rejects(wrong, { code: "wrong_code", attemptsRemaining: 2 })

// Two tabs send the right one. One of them signs in, and begins a session with a new id.
const verify = () => verifications.verify({ requestId, code, purpose })
const tabs = await Promise.allSettled([verify(), verify()])
const [signedIn] = tabs.flatMap((tab) => (tab.status === "fulfilled" ? [tab.value] : []))
const [refused] = tabs.flatMap((tab) => (tab.status === "rejected" ? [tab.reason] : []))
assert.equal(signedIn?.phoneNumber, phoneNumber)
assert.equal(refused.code, "already_consumed")
