/** The gateway of the guide "Write a gateway" passes the suite for gateways. */
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import type { Gateway } from "countersign"
import { toAdapter } from "countersign/effect"
import { createHmac } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { examplesOf } from "../tools/docExamples.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { root } from "../../tools/paths.ts"

const guide = readFileSync(join(root, "docs/guides/write-a-gateway.md"), "utf8")
const [example] = examplesOf(guide)
if (example?.kind !== "program") throw new Error("the guide begins with another block")

// Inside `test`, so that imports of the workspace's packages are found.
const file = join(temporaryFolder(".fixture-", join(root, "test")), "vendor.ts")
writeFileSync(file, example.code)
const { vendor }: { readonly vendor: (url: string, password: string, secret: string) => Gateway } =
  await import(file)

const answer = (status: number, body: object) => ({ status, body: JSON.stringify(body) })
const refusal = (error: string, words = error) => answer(422, { error, words })
const [password, secret] = ["a-password-of-the-account", "a-secret-for-reports"]
const states: Readonly<Record<string, string>> = {
  delivered: "DELIVRD",
  undelivered: "UNDELIV",
  failed: "FAILED",
}
const rejected = (reason: "recipient" | "content" | "sender" | "account") =>
  ({ _tag: "Rejected", reason }) as const

GatewaySuite.suite("vendor", {
  make: (baseUrl) => toAdapter(vendor(baseUrl, password, secret)),
  secrets: [password, secret],
  accepted: {
    title: "a message with an id",
    answer: answer(202, { id: "v-1" }),
    expected: { _tag: "Accepted", gatewayId: "v-1" },
  },
  answers: [
    { title: "a number", answer: refusal("invalid_number"), expected: rejected("recipient") },
    { title: "a text", answer: refusal("text_not_allowed"), expected: rejected("content") },
    { title: "a sender", answer: refusal("unknown_sender"), expected: rejected("sender") },
    { title: "no credit", answer: refusal("no_credit"), expected: rejected("account") },
    { title: "a 429", answer: answer(429, {}), expected: { _tag: "Throttled" } },
    { title: "another refusal", answer: refusal("new"), expected: { _tag: "Unknown" } },
  ],
  refusal: (words) => refusal("invalid_number", words),
  callbacks: {
    statuses: ["delivered", "undelivered", "failed"],
    signatureHeader: "x-signature",
    signsAddress: false,
    report: ({ gatewayId, status }) => {
      const state = states[status]
      const body = Buffer.from(JSON.stringify({ id: gatewayId, state }))
      const signature = createHmac("sha256", secret).update(body).digest("hex")
      const headers = { "x-signature": signature }
      return { method: "POST", url: new URL("https://app.example.com"), headers, body }
    },
  },
})
