/** Answers that browsers save as files. */
import { showing } from "@countersign/core/api/Operation"
import { personalRecord } from "@countersign/core/api/privacy"
import type { SearchVerifications } from "@countersign/core/api/verifications"
import * as AuditCsv from "@countersign/core/domain/access/AuditCsv"
import * as MessageCsv from "@countersign/core/domain/messages/MessageCsv"
import * as VerificationCsv from "@countersign/core/domain/verifications/VerificationCsv"
import * as OrganizationCsv from "@countersign/core/domain/organizations/OrganizationCsv"
import * as BatchCsv from "@countersign/core/domain/outbox/BatchCsv"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as RefusalCsv from "@countersign/core/domain/verifications/RefusalCsv"
import type { Refusals } from "@countersign/core/engine/Refusals"
import type { Audit, Query } from "@countersign/core/services/Audit"
import type { Batches } from "@countersign/core/services/Batches"
import type { Messages, SearchMessages } from "@countersign/core/services/Messages"
import type { OrganizationSummary } from "@countersign/core/ports/Store"
import type { PersonalData, Privacy } from "@countersign/core/services/Privacy"
import type { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** The options of a file. An organization's id can be part of a file name. */
const file = (contentType: string, filename: string) => ({
  contentType,
  headers: { "content-disposition": `attachment; filename="${filename}"` },
})

export const csv = (organization: string, name: string) =>
  file("text/csv; charset=utf-8", `${organization}-${name}.csv`)

/** A file that is read while it is sent. An error after the beginning breaks it off. */
export const streamed = <E>(parts: Stream.Stream<string, E>, options: ReturnType<typeof file>) =>
  HttpServerResponse.stream(Stream.encodeText(Stream.orDie(parts)), options)

interface Page<Place> {
  readonly text: string
  /** `undefined` after the last page. */
  readonly next: Place | undefined
}

/** The texts of all pages. Reads the first page at once, so that invalid input is an error and not a broken stream. */
const pages = <Place, E>(read: (place?: Place) => Effect.Effect<Page<Place>, E>) =>
  Effect.map(read(), (first) => {
    const rest = Stream.paginate(first.next, (place) =>
      place === undefined
        ? Effect.succeed([[], Option.none()] as const)
        : Effect.map(read(place), ({ next, text }) => [[text], Option.some(next)] as const),
    )
    return Stream.concat(Stream.make(first.text), rest)
  })

const plain = showing({ output: personalRecord })

/** An export as lines of JSON. */
export const exportOf = (privacy: Privacy["Service"], input: PersonalData) =>
  Effect.map(
    pages((place?: Parameters<typeof privacy.exportPage>[1]) =>
      Effect.map(privacy.exportPage(input, place), ({ next, records }) => ({
        text: records.map((record) => `${JSON.stringify(plain(record))}\n`).join(""),
        next,
      })),
    ),
    (parts) => streamed(parts, file("application/x-ndjson", `${input.organization}-export.jsonl`)),
  )

/** As many as a spreadsheet can show. */
const maxRows = 1_000_000

/** Number of rows of a page, which is read when it is needed. */
const pageRows = 200

interface Asked<Place> {
  /** Where the page begins. `undefined`: the first page. */
  readonly place: Place | undefined
  readonly limit: number
}

interface Lines<Place> {
  readonly lines: string
  readonly rows: number
  readonly next: Place | undefined
}

/** All pages of a list, as lines below the first one. */
const listCsv = <Place, E>(
  header: string,
  read: (asked: Asked<Place>) => Effect.Effect<Lines<Place>, E>,
  options: ReturnType<typeof file>,
) =>
  Effect.map(
    pages(({ place, rows }: { place?: Place; rows: number } = { rows: 0 }) =>
      Effect.map(read({ place, limit: pageRows }), ({ lines, next, rows: found }) => {
        const all = rows + found
        return {
          text: place === undefined ? `${header}${lines}` : lines,
          next: next === undefined || all >= maxRows ? undefined : { place: next, rows: all },
        }
      }),
    ),
    (parts) => streamed(parts, options),
  )

/** All messages of a search as CSV. */
export const messagesCsv = (
  service: Messages["Service"],
  input: SearchMessages,
  currency: string,
) =>
  listCsv(
    MessageCsv.header,
    ({ limit, place: cursor }: Asked<string>) =>
      Effect.map(service.search({ ...input, cursor, limit }), ({ messages, next }) => ({
        lines: MessageCsv.lines(messages, currency),
        rows: messages.length,
        next,
      })),
    csv(input.organization, "messages"),
  )

/** All verifications of a search as CSV. */
export const verificationsCsv = (service: Verifications["Service"], input: SearchVerifications) =>
  listCsv(
    VerificationCsv.header,
    ({ limit, place: cursor }: Asked<string>) =>
      Effect.map(service.search({ ...input, cursor, limit }), ({ next, verifications }) => ({
        lines: VerificationCsv.lines(verifications),
        rows: verifications.length,
        next,
      })),
    csv(input.organization, "verifications"),
  )

/** All batches as CSV. */
export const batchesCsv = (
  service: Batches["Service"],
  organization: OrganizationId,
  currency: string,
) =>
  listCsv(
    BatchCsv.header,
    ({ limit, place: cursor }: Asked<string>) =>
      Effect.map(service.list({ organization, cursor, limit }), ({ batches, next }) => ({
        lines: BatchCsv.lines(batches, currency),
        rows: batches.length,
        next,
      })),
    csv(organization, "batches"),
  )

/** All kept refusals of a search as CSV. */
export const refusalsCsv = (
  service: Refusals["Service"],
  input: Parameters<Refusals["Service"]["list"]>[0],
) =>
  listCsv(
    RefusalCsv.header,
    ({ limit, place: cursor }: Asked<string>) =>
      Effect.map(service.list({ ...input, cursor, limit }), ({ next, refusals }) => ({
        lines: RefusalCsv.lines(refusals),
        rows: refusals.length,
        next,
      })),
    csv(input.organization, "refusals"),
  )

/** All pages of the audit as CSV. */
export const auditCsv = (audit: Audit["Service"], input: Query) =>
  listCsv(
    AuditCsv.header,
    ({ limit, place: before }: Asked<number>) =>
      Effect.map(audit.list({ ...input, before, limit }), ({ entries, next }) => ({
        lines: AuditCsv.lines(entries),
        rows: entries.length,
        next,
      })),
    csv(input.organization, "audit"),
  )

/** Organizations as CSV, page after page. */
export const organizationsCsv = <E>(
  list: (page: {
    readonly after: OrganizationId | undefined
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<OrganizationSummary>, E>,
  currency: string,
) =>
  listCsv(
    OrganizationCsv.header,
    ({ limit, place: after }: Asked<OrganizationId>) =>
      Effect.map(list({ after, limit }), (organizations) => ({
        lines: OrganizationCsv.lines(organizations, currency),
        rows: organizations.length,
        next: organizations.length < limit ? undefined : organizations.at(-1)?.id,
      })),
    file("text/csv; charset=utf-8", "organizations.csv"),
  )
