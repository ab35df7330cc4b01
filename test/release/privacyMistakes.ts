/**
 * Mistakes in the erasure of phone numbers; see `mistakes.ts`.
 */
import type { Mistake } from "./planting.ts"

const core = "packages/core"
const memory = `${core}/test/adapters/MemoryStore.test.ts`
const service = `${core}/test/services/Privacy.test.ts`
const server = "packages/postgres/test/Privacy.test.ts"
const nothingLeft =
  "Store: memory > erasure > an erasure leaves nothing of a number but its country, and the money as it was"
const late =
  "Store: memory > erasure > what comes in late on an erased message is stored without words and ids"
const limits = "Store: memory > limits of erased numbers"

export const privacy: ReadonlyArray<Mistake> = [
  {
    name: "an erased message keeps its text",
    file: `${core}/src/domain/Message.ts`,
    find: '        text: "",\n        gatewayId: null,',
    replace: "        gatewayId: null,",
    test: { path: memory, title: nothingLeft },
  },
  {
    name: "an erased number loses its country",
    file: `${core}/src/domain/PhoneNumber.ts`,
    find: '`${erasedPrefix}${countryOf(self) ?? ""}`',
    replace: "erasedPrefix",
    test: { path: memory, title: nothingLeft },
  },
  {
    name: "an erasure takes the events of all numbers with the same mask",
    file: `${core}/src/decide/Erasure.ts`,
    find: "({ request }) => request === undefined || Verification.isErased(request),",
    replace: "() => true,",
    test: { path: memory, title: nothingLeft },
  },
  {
    name: "the events of a request that retention has dropped are not erased",
    file: `${core}/src/decide/Erasure.ts`,
    find: "request === undefined || Verification.isErased(request)",
    replace: "request !== undefined && Verification.isErased(request)",
    test: {
      path: memory,
      title:
        "Store: memory > erasure > requests and events whose messages retention has dropped are erased as well",
    },
  },
  {
    name: "a late outcome brings the gateway's id back",
    file: `${core}/src/domain/Message.ts`,
    find: "self.gatewayId === null && !isErased(self)",
    replace: "self.gatewayId === null",
    test: { path: memory, title: late },
  },
  {
    name: "a late report on an erased message is kept as it is",
    file: `${core}/src/domain/Report.ts`,
    find: "isErased(message) ? erase(report) : report",
    replace: "report",
    test: { path: memory, title: late },
  },
  {
    name: "the event of a late dispatch has the words of an erased request",
    file: `${core}/src/decide/internal/messageDeciders.ts`,
    find: "requestId === null || Message.isErased(message)",
    replace: "requestId === null",
    test: { path: memory, title: late },
  },
  {
    name: "a command finds an erased request",
    file: `${core}/src/decide/Decision.ts`,
    find: "found === undefined || Verification.isErased(found) ? undefined : found",
    replace: "found",
    test: {
      path: memory,
      title: "Store: memory > erasure > no command finds a request that is erased",
    },
  },
  {
    name: "a call repeats the answer of an erased message",
    file: `${core}/src/decide/Erasure.ts`,
    find: "keys: keys.map(({ key }) => ({ ...key, answer })),",
    replace: "keys: [],",
    test: {
      path: memory,
      title:
        "Store: memory > erasure > a repeat of a call with a key gets the answer of an erased message",
    },
  },
  {
    name: "an erasure resets the requests of a number",
    file: `${core}/src/domain/ErasedRecipient.ts`,
    find: "sends: self.sends, guesses",
    replace: "guesses",
    test: {
      path: memory,
      title: `${limits} > the limits of an erased number stay under its digest until they end`,
    },
  },
  {
    name: "an erasure resets the wrong codes of clients",
    file: `${core}/src/domain/ErasedRecipient.ts`,
    find: "sinceSuccess: Recipient.sinceSuccess(recipient)",
    replace: "sinceSuccess: recipient.guesses.sinceSuccess",
    test: {
      path: memory,
      title: `${limits} > the wrong codes of an erased number stay, also those of its clients, and can be reset`,
    },
  },
  {
    name: "the limits of an erased number never end",
    file: `${core}/src/domain/ErasedRecipient.ts`,
    find: "self === undefined || now >= self.expiresAt",
    replace: "self === undefined",
    test: { path: memory, title: `${limits} > limits that have expired have no effect` },
  },
  {
    name: "nodes do not learn of an erasure",
    file: `${core}/src/services/Privacy.ts`,
    find: "({ ...one, erasedAt: now })",
    replace: "one",
    test: {
      path: service,
      title: "after an erasure > a node with older settings learns of it before it sends",
    },
  },
  {
    name: "an erasure leaves pending requests",
    file: `${core}/src/services/Privacy.ts`,
    find: "    yield* cancelPending(organization, phoneNumber)\n",
    replace: "",
    test: {
      path: service,
      title: "an erasure > cancels what is pending, erases everything and is an event",
    },
  },
  {
    name: "the id of a gateway still finds an erased message",
    file: "packages/postgres/src/internal/personalRows.ts",
    find: "WHERE organization = $1 AND sequence = ANY ($2::int8[])",
    replace: "WHERE organization = $1 AND sequence = ANY ($2::int8[]) AND false",
    test: {
      path: server,
      title: "an erasure > leaves the number, its texts and its words in no table",
    },
  },
  {
    name: "a column with personal data is in no list",
    file: "packages/postgres/src/internal/schema/0001_initial.ts",
    find: "      erased_at int8\n",
    replace: "      erased_at int8,\n      contact text\n",
    test: {
      path: server,
      title: "an erasure > has a row for every column in the list of docs/privacy.md",
    },
  },
]
