/**
 * The plan for an adapter to a message centre that speaks SMPP 3.4.
 */
import type { Plan, Play } from "./plan.ts"
import { centreFailures } from "./smppFailures.ts"
import { connectionSection, receiptsSection } from "./smppSections.ts"
import { password, type SmppOptions, type SmppStatus, stagedBy, systemId } from "./smppStage.ts"
import { message } from "./subject.ts"

/** Statuses with the same meaning for every adapter, because the specification is clear. */
const documented: ReadonlyArray<SmppStatus> = [
  { status: 0x01, expected: { _tag: "Rejected", reason: "content" } },
  // ESME_RSYSERR and ESME_RUNKNOWNERR do not say how far the request was processed.
  { status: 0x08, expected: { _tag: "Unknown" } },
  { status: 0x0a, expected: { _tag: "Rejected", reason: "sender" } },
  { status: 0x0b, expected: { _tag: "Rejected", reason: "recipient" } },
  { status: 0x0f, expected: { _tag: "Rejected", reason: "account" } },
  { status: 0x14, expected: { _tag: "Throttled" } },
  { status: 0x58, expected: { _tag: "Throttled" } },
  { status: 0xff, expected: { _tag: "Unknown" } },
  // A reserved status, and one from the range that operators define.
  { status: 0x10, expected: { _tag: "Unknown" } },
  { status: 0x4ff, expected: { _tag: "Unknown" } },
]

/** Makes the plan from the options of an adapter's test. All adapters use the same centre. */
export const overSmpp = (options: SmppOptions): Plan => {
  const staged = stagedBy(options)
  const sample = message(options.message)
  const accepted: Play = {
    title: "a message with an id",
    message: sample,
    stage: staged(() => {}),
    expected: [{ _tag: "Accepted", gatewayId: "1" }],
    reached: 1,
  }
  const statuses = new Map(
    [...documented, ...(options.statuses ?? [])].map((one) => [one.status, one]),
  )
  return {
    secrets: [systemId, password],
    message: sample,
    accepted,
    answers: [...statuses.values()].map(({ expected, status }) => ({
      ...accepted,
      title: `the status 0x${status.toString(16).padStart(2, "0")}`,
      expected: [expected],
      stage: staged((smsc) => {
        smsc.onSubmit = () => ({ status })
      }),
    })),
    // A rejection is a number, so there is no text that an adapter could repeat.
    refusal: undefined,
    failures: centreFailures(staged, accepted, options.tls !== false),
    waits: [
      {
        ...accepted,
        title: "is silent",
        stage: staged((smsc) => {
          smsc.onSubmit = () => "silence"
        }),
      },
    ],
    reports:
      options.receipts === false
        ? undefined
        : {
            // `failed` would be REJECTD, which is a rejection.
            statuses: ["accepted", "delivered", "undelivered"],
            forms: [
              { title: " as text", play: accepted },
              {
                title: " in fields",
                play: { ...accepted, stage: staged(() => {}, { tlv: true }) },
              },
            ],
          },
    sections: [
      [
        "the connection",
        (test) => connectionSection(test, staged, accepted, { systemId, password }),
      ],
      ["receipts", (test) => receiptsSection(test, staged, accepted, options.receipts !== false)],
    ],
  }
}
