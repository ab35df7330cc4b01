/** Handles the endpoints about events. */
import { loggedEvent } from "@countersign/core/api/events"
import { showing } from "@countersign/core/api/Operation"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import { EventLog } from "@countersign/core/services/EventLog"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import { CurrentPrincipal } from "../Principal.ts"
import { AdminApi } from "../AdminApi.ts"
import { logDefect } from "../../mount/internal/defects.ts"
import { inOrganization } from "./calls.ts"
import { handlersOf } from "./endpoints.ts"
import { streamsEnded, tooManyStreams } from "./errorResponses.ts"
import { groups } from "./rows.ts"

const plain = showing({ output: loggedEvent })

/** Between comments that keep proxies from closing an idle connection. */
export const keepAliveInterval = Duration.seconds(15)

/** After this time a stream ends. The browser connects again, so that `authorize` decides again. */
export const streamDuration = Duration.minutes(10)

export interface StreamOptions {
  readonly maxStreams: number
  /** Opens when the mount ends. */
  readonly closing: Latch.Latch
}

export const layer = ({ closing, maxStreams }: StreamOptions) =>
  HttpApiBuilder.group(
    AdminApi,
    "events",
    Effect.fnUntraced(function* (handlers) {
      const log = yield* EventLog
      const maxOfTenant = Math.max(1, Math.floor(maxStreams / 10))
      /** The streams that are read now. */
      const open = new Set<{ readonly tenant: string | undefined }>()

      const hasPlace = (tenant: string | undefined): boolean => {
        const own = [...open].filter((stream) => stream.tenant === tenant).length
        return open.size < maxStreams && (tenant === undefined || own < maxOfTenant)
      }

      const comments = Stream.map(Stream.tick(keepAliveInterval), () => ":\n\n")

      const textOf = (request: HttpServerRequest, organization: OrganizationId, after: number) =>
        log.follow({ organization, after }).pipe(
          Stream.map((event) => {
            const { sequence } = event
            return `id: ${sequence}\ndata: ${JSON.stringify(plain(event))}\n\n`
          }),
          // The browser connects again after the last event that it has.
          Stream.catch(() => Stream.empty),
          Stream.catchDefect((defect) => Stream.fromEffectDrain(logDefect(request, defect))),
          Stream.merge(comments, { haltStrategy: "left" }),
          Stream.interruptWhen(Effect.race(closing.await, Effect.sleep(streamDuration))),
        )

      /** Counts the stream while it is read: an answer that is never read takes no place. */
      const counted = (text: Stream.Stream<string>, tenant: string | undefined) =>
        Stream.suspend(() => {
          if (!hasPlace(tenant)) return Stream.empty
          const stream = { tenant }
          open.add(stream)
          return Stream.ensuring(
            text,
            Effect.sync(() => open.delete(stream)),
          )
        })

      return handlers.handleAll({
        ...(yield* handlersOf("events", groups.events, log)),
        stream: ({ headers, query, request }) =>
          inOrganization(
            Effect.fnUntraced(function* (organization: OrganizationId) {
              const { organizations } = yield* CurrentPrincipal
              const tenant = organizations === undefined ? undefined : organization
              if (closing.isOpen()) return streamsEnded
              if (!hasPlace(tenant)) return tooManyStreams
              const known = headers["last-event-id"] ?? query.after
              const after = known ?? (yield* log.list({ organization, limit: 1 })).last
              return HttpServerResponse.stream(
                Stream.encodeText(counted(textOf(request, organization, after), tenant)),
                {
                  contentType: "text/event-stream",
                  // nginx would keep events back until its buffer is full.
                  headers: { "x-accel-buffering": "no" },
                },
              )
            }),
          ),
      })
    }),
  )
