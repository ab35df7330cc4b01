/** Mistakes in the rules of a request after its code was sent. */
import type { Mistake } from "./planting.ts"

const core = "packages/core/src"
const follow = `${core}/decide/commands/followDeciders.ts`
const verifications = `${core}/decide/commands/verificationDeciders.ts`
const prune = "packages/postgres/src/internal/maintenance/prune.ts"
const retention = `${core}/jobs/Retention.ts`
const retentionTest = "packages/core/test/jobs/Retention.test.ts"
const contractTest = "packages/postgres/test/StoreContract.test.ts"
const decide = "packages/core/test/decide"
const resendTest = `${decide}/Decision.resend.test.ts`
const followTest = `${decide}/Decision.follow.test.ts`
const lifeTest = `${decide}/Decision.life.test.ts`

export const codeMistakes: ReadonlyArray<Mistake> = [
  {
    name: "a number is accepted although the library reads another number into it",
    file: "packages/core/src/domain/values/internal/numberPlans.ts",
    find: "if (prefix?.test(number) === true) return undefined",
    replace: "",
    test: {
      path: "packages/core/test/domain/values/PhoneNumber.test.ts",
      title: "+3758108319719 with the plus required → numbering plan",
    },
  },
  {
    name: "a number is accepted for its length alone",
    file: "packages/core/src/domain/values/internal/numberPlans.ts",
    find: " && found.isValid.test(number)",
    replace: "",
    test: {
      path: "packages/core/test/domain/numberPlans.test.ts",
      title: "accepts only numbers that libphonenumber accepts, and for the same country",
    },
  },
  {
    name: "the answer of a gateway brings the code into a row",
    file: "packages/core/src/delivery/internal/gatewayCalls.ts",
    find: "(outcome) => Redaction.outcome(outcome, message)",
    replace: "(outcome) => outcome",
    test: {
      path: "packages/core/test/services/Redaction.test.ts",
      title: "in the outcome of a send, Rejected, is not quoted",
    },
  },
  {
    name: "an id of a gateway brings the code into a row",
    file: "packages/core/src/domain/messages/Redaction.ts",
    find: ": foreign.includes(code)",
    replace: ": false",
    test: {
      path: "packages/core/test/services/Redaction.test.ts",
      title: "in the outcome of a send, Accepted, is not quoted",
    },
  },
  {
    name: "the answer of a lookup brings the code into a row",
    file: "packages/core/src/jobs/Settlement.ts",
    find: "settle(Redaction.outcome(found, yield* contentOf(message)))",
    replace: "settle(found)",
    test: {
      path: "packages/core/test/services/Redaction.test.ts",
      title: "in the outcome of a lookup, Rejected, is not quoted",
    },
  },
  {
    name: "a report brings the code into a row",
    file: "packages/core/src/services/Reports.ts",
    find: '![detail ?? "", ...Evidence.wordsIn(evidence)].some(Redaction.hasDigits)',
    replace: "true",
    test: {
      path: "packages/core/test/services/Redaction.test.ts",
      title: "in a report by the message is not quoted",
    },
  },
  {
    name: "a report on an unknown message brings the code into a row",
    file: "packages/core/src/services/Reports.ts",
    find: "detail: detail === null ? null : Redaction.unknownWords(detail)",
    replace: "detail",
    test: {
      path: "packages/core/test/services/Redaction.test.ts",
      title: "in a report by an id that is not known yet is not quoted",
    },
  },
  {
    name: "the evidence of a report brings the code into a row",
    file: "packages/core/src/services/Reports.ts",
    find: "evidence: Redaction.evidence(evidence, content)",
    replace: "evidence",
    test: {
      path: "packages/core/test/services/Redaction.test.ts",
      title: "in a report by the message is not quoted",
    },
  },
  {
    name: "the evidence of a report on an unknown message brings the code into a row",
    file: "packages/core/src/services/Reports.ts",
    find: "evidence: Redaction.unknownEvidence(evidence)",
    replace: "evidence",
    test: {
      path: "packages/core/test/services/Redaction.test.ts",
      title: "in a report by an id that is not known yet is not quoted",
    },
  },
  {
    name: "a WhatsApp template carries the code of a payment without amount and payee",
    file: "packages/gateways/src/internal/whatsAppTemplate.ts",
    find: "if (payment !== undefined) return noPayment",
    replace: "",
    test: {
      path: "packages/gateways/test/Vonage.requests.test.ts",
      title: "is not made for a language without a template, an unknown code, or a payment",
    },
  },
  {
    name: "a gateway does not learn of the payment that a code approves",
    file: `${core}/delivery/CodeDelivery.ts`,
    find: "        locale,\n        payment,\n",
    replace: "        locale,\n",
    test: {
      path: "packages/core/test/ports/Gateway.message.test.ts",
      title: "is in every message with the code",
    },
  },
  {
    name: "a code is sent again during its cooldown",
    file: follow,
    find: "if (wait > 0) {",
    replace: "if (wait > 1_000) {",
    test: {
      path: resendTest,
      title: "AdmitResend > with a millisecond of the cooldown left: Cooldown for 1 s",
    },
  },
  {
    name: "a code that is sent again does not count in the window of its number",
    file: `${core}/decide/shared/Guards.ts`,
    find: "recipient: { ...recipient, sends: windowAfter(window) ?? recipient.sends },",
    replace: "recipient,",
    test: {
      path: resendTest,
      title: "counts in the window even if it cannot be paid, but not as a resend",
    },
  },
  {
    name: "a code is sent again once too often",
    file: follow,
    find: "verification.resends >= limits.resends",
    replace: "verification.resends > limits.resends",
    test: {
      path: resendTest,
      title: "AdmitResend > with as many resends as are allowed: ResendsExhausted",
    },
  },
  {
    name: "an expired code is sent again",
    file: follow,
    find: 'if (state === "expired") return Result.fail({ _tag: "Expired" })',
    replace: "",
    test: {
      path: resendTest,
      title: "ResendVerification > with an expired request: Expired | writes account",
    },
  },
  {
    name: "two SMS follow one message",
    file: follow,
    find: "    verification.messageSequence !== messageSequence ||\n    message.status",
    replace: "    message.status",
    test: {
      path: followTest,
      title: "FollowVerification > with a request that another message follows: NotNeeded",
    },
  },
  {
    name: "no SMS follows a message that is closed at its deadline",
    file: `${core}/domain/messages/Message.ts`,
    find: "? self.createdAt : self.followAt",
    replace: "? self.createdAt : null",
    test: {
      path: followTest,
      title: "is still followed if its outcome is unknown at its deadline, which comes first",
    },
  },
  {
    name: "no SMS follows a message without a report",
    file: `${core}/domain/messages/Message.ts`,
    find: "followAt: isClosed(self) ? self.createdAt : now + millis",
    replace: "followAt: isClosed(self) ? self.createdAt : null",
    test: {
      path: "packages/core/test/engine/SmsFallback.test.ts",
      title: "sends an SMS if no report has come in time, and not before",
    },
  },
  {
    name: "a request is used up twice",
    file: verifications,
    find: 'if (before.consumedAt !== null) return answer({ _tag: "AlreadyConsumed" })',
    replace: "",
    test: {
      path: lifeTest,
      title: "ConsumeVerification > with a consumed request: AlreadyConsumed",
    },
  },
  {
    name: "a cancelled request keeps its place among the pending ones",
    file: verifications,
    find: "          recipient: closeRecipient(view.recipient, before),\n",
    replace: "",
    test: {
      path: lifeTest,
      title: "frees the place among the pending requests, and erases the sealed code",
    },
  },
  {
    name: "a sealed code outlives the verification of its request",
    file: `${core}/domain/verifications/Verification.ts`,
    find: "consumedAt: null, sealed: null }",
    replace: "consumedAt: null }",
    test: {
      path: lifeTest,
      title:
        "erases the sealed code when the request is verified, and when its attempts are used up",
    },
  },
  {
    name: "the code of a test number ends a series of wrong codes",
    file: verifications,
    find: "countGuess(context, after, command.client, isTest ? undefined : limits)",
    replace: "countGuess(context, after, command.client, limits)",
    test: {
      path: `${decide}/Decision.guesses.test.ts`,
      title:
        "begins again with a right code, but not for the day, and not with that of a test number",
    },
  },
  {
    name: "only the first of several windows is full",
    file: `${core}/domain/limits/SlidingWindow.ts`,
    find: "for (const one of limitsOf(limit)) wait =",
    replace: "for (const one of limitsOf(limit).slice(0, 1)) wait =",
    test: {
      path: "packages/core/test/adapters/MemoryStore.test.ts",
      title: "any sends and checks have the windows of a model that remembers all of them",
    },
  },
  {
    name: "a code is good for another purpose",
    file: verifications,
    find: "purpose === undefined || self.purpose === purpose",
    replace: "purpose === undefined || self.purpose !== null",
    test: {
      path: lifeTest,
      title:
        "CheckCode with a purpose > with another purpose, and the right code: NotFound | writes account",
    },
  },
  {
    name: "a sealed code can be opened for another request",
    file: `${core}/engine/Codes.ts`,
    find: "`seal\\n${owner.organization}\\n${owner.requestId}`",
    replace: "`seal\\n${owner.organization}`",
    test: {
      path: "packages/core/test/engine/Codes.test.ts",
      title: "gives back the text to its owner only, under its secret",
    },
  },
  {
    name: "the place up to which codes are erased passes a pending one",
    file: prune,
    find: "? from + cleared : codesErasedTo",
    replace: "? from + codes.length : codesErasedTo",
    test: {
      path: contractTest,
      title:
        "Store: a server > retention > the sealed codes of expired requests are erased, and no others",
    },
  },
  {
    name: "codes are erased only up to a pending one",
    file: prune,
    find: "const from = Math.max(Number(after), codesErasedTo)",
    replace: "const from = codesErasedTo",
    test: {
      path: contractTest,
      title:
        "Store: a server > retention > the sealed codes of expired requests are erased, and no others",
    },
  },
  {
    name: "a message is dropped before its pending code",
    file: prune,
    find: "Math.min(old, codesErasedTo + cleared + 1)",
    replace: "old",
    test: {
      path: contractTest,
      title:
        "Store: a server > retention > a message stays while its code is pending, and takes the expired code along",
    },
  },
  {
    name: "an organization has codes to erase only after its first message",
    file: "packages/postgres/src/internal/statements/queries.ts",
    find: "codes_erased_to < last_message",
    replace: "codes_erased_to < first_message",
    test: {
      path: contractTest,
      title:
        "Store: a server > retention > organizations are listed by the codes that they may have",
    },
  },
  {
    name: "a clock that goes back erases a pending code",
    file: `${core}/decide/maintenance/Pruning.ts`,
    find: "[now, Math.max(now, lastAt)]",
    replace: "[now]",
    test: {
      path: `${decide}/Pruning.test.ts`,
      title: "codesToErase > of a code whose request was committed by a clock ahead",
    },
  },
  {
    name: "the erasure of codes follows an organization that keeps sending",
    file: retention,
    find: "while (after !== undefined && Number(after) < last)",
    replace: "while (after !== undefined)",
    test: {
      path: retentionTest,
      title: "leaves the messages that arrive meanwhile to the next call",
    },
  },
  {
    name: "the erasure of codes keeps retention waiting",
    file: retention,
    find: "      // A round that waits for the permit is next.\n      yield* Effect.yieldNow\n",
    replace: "",
    test: { path: retentionTest, title: "lets rounds run between its steps" },
  },
  {
    name: "a call ignores a misspelt field",
    file: "packages/countersign/src/internal/services/method.ts",
    find: "!known.has(name) && ",
    replace: "false && ",
    test: {
      path: "packages/countersign/test/unknownFields.test.ts",
      title: "is refused by verifications.check, which writes nothing",
    },
  },
  {
    name: "a code under an unknown secret costs an attempt",
    file: verifications,
    find: "candidate === undefined && Verification",
    replace: "false && Verification",
    test: {
      path: "packages/core/test/services/verifications/Verifications.check.test.ts",
      title: "still accepts codes of a secret that is being retired",
    },
  },
  {
    name: "a node starts with secrets that no other node has",
    file: `${core}/domain/access/RegisteredCodeSecret.ts`,
    find: ".some(({ id }) => own.includes(id))",
    replace: ".length > 0",
    test: {
      path: "packages/countersign/test/secrets.test.ts",
      title: "does not start, and the message says what to do without showing a secret",
    },
  },
]
