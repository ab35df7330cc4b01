/**
 * Mistakes in what a copy of the database shows: phone numbers and texts. See `mistakes.ts`.
 */
import type { Mistake } from "./planting.ts"

const postgres = "packages/postgres"
const cipher = `${postgres}/test/internal/numbers/cipher.test.ts`
const stored = `${postgres}/test/NumberKeys.test.ts`
const bodies = "packages/core/test/services/Bodies.test.ts"

export const numbers: ReadonlyArray<Mistake> = [
  {
    name: "a request finds its recipient only in its own form",
    file: `${postgres}/src/PostgresStore.ts`,
    find: "isRotating ? Opened.phoneNumberOf(queries, query) : undefined,",
    replace: "undefined,",
    test: {
      path: stored,
      title: "rows under a retiring key are found, count, and come under the first key",
    },
  },
  {
    name: "a recipient that changes its form stays in the old one as well",
    file: `${postgres}/src/internal/batches/batchRows.ts`,
    find: "form === undefined ? [] : [{ organization, form }]",
    replace: "form !== null ? [] : [{ organization, form }]",
    test: {
      path: stored,
      title: "rows under a retiring key are found, count, and come under the first key",
    },
  },
  {
    name: "a form does not depend on the organization",
    file: `${postgres}/src/internal/numbers/cipher.ts`,
    find: "`${organization.length}:${organization}`",
    replace: "String(organization.length * 0)",
    test: {
      path: cipher,
      title: "law: other numbers, organizations and keys have other forms",
    },
  },
  {
    name: "a changed form is read as another number",
    file: `${postgres}/src/internal/numbers/cipher.ts`,
    find: "!timingSafeEqual(macOf(key, organization, plain), vector)",
    replace: "timingSafeEqual(plain, vector)",
    test: {
      path: cipher,
      title:
        "a changed byte, another organization and another secret are refused, and name no number",
    },
  },
  {
    name: "retention keeps recipients in a retiring form",
    file: `${postgres}/src/internal/maintenance/prune.ts`,
    find: "forms.get(number) ?? number",
    replace: "forms.get(organization) ?? number",
    test: { path: stored, title: "retention drops idle recipients in any form" },
  },
  {
    name: "a start does without a key that rows may need",
    file: `${postgres}/src/internal/numbers/registry.ts`,
    find: "if (id === plainId) continue",
    replace: "if (id === plainId || !keys.some((one) => one.id === id)) continue",
    test: {
      path: stored,
      title: "a start fails without a key that rows may need, and with another secret",
    },
  },
  {
    name: "an id of a gateway is stored in plain text",
    file: `${postgres}/src/internal/rows/tables.ts`,
    find: 'Columns.secret(text, String, "text")',
    replace: "text",
    test: {
      path: `${postgres}/test/NumberKeys.ids.test.ts`,
      title: "no row of any table contains a number in an id, nor the answer to an idempotency key",
    },
  },
  {
    name: "an id of a gateway is looked up under the current key only",
    file: `${postgres}/src/internal/numbers/cipher.ts`,
    find: "...keys.map((key) => sealText(key, text))",
    replace: "sealText(current, text)",
    test: {
      path: `${postgres}/test/NumberKeys.ids.test.ts`,
      title: "ids under a retiring key are found by any node, and come under the first key",
    },
  },
  {
    name: "the rotation leaves the ids of gateways under the old key",
    file: `${postgres}/src/internal/numbers/rotation.ts`,
    find: '{ table: "gateway_ids", key: [["sequence", "int8"]], sealed: [gatewayId] },',
    replace: "",
    test: {
      path: `${postgres}/test/NumberKeys.ids.test.ts`,
      title: "ids under a retiring key are found by any node, and come under the first key",
    },
  },
  {
    name: "a key leaves the table while a scan still finds its rows",
    file: `${postgres}/src/internal/numbers/rotation.ts`,
    find: "used_at < now() - interval '25 hours'",
    replace: "used_at < now() + interval '25 hours'",
    test: {
      path: stored,
      title: "rows under a retiring key are found, count, and come under the first key",
    },
  },
  {
    name: "the log keeps texts without records of bodies",
    file: "packages/core/src/decide/Decision.ts",
    find: "records.bodies ? decided : withoutBodies(decided)",
    replace: "records.bodies === null ? withoutBodies(decided) : decided",
    test: { path: bodies, title: "a message arrives, is charged, and is repeated by its key" },
  },
  {
    name: "a message without its text is sent empty after its node has died",
    file: "packages/core/src/jobs/Settlement.ts",
    find: ' && message.text !== ""',
    replace: "",
    test: {
      path: bodies,
      title: "a message whose node died is not sent again, and is refunded at its deadline",
    },
  },
]
