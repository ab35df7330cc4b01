/**
 * The event log of an organization: every event, numbered without gaps, in the database.
 *
 * The commit that has an effect appends its events, so the log misses no event, and each of its events has
 * happened. `Events` is the view of what this process has committed.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { HostEffect } from "../api/Caller.ts"
import { retryUnavailable } from "../engine/Commits.ts"
import { Events } from "../engine/Events.ts"
import { pageLimit } from "../api/internal/pageLimit.ts"
import { OrganizationNotFound, type StoreUnavailable } from "../domain/errors/Errors.ts"
import type { LoggedEvent } from "../domain/events/Event.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"
import { type EventPage, Store } from "../ports/Store.ts"

/** Longest time until a follower reads an event that another node has committed. */
export const pollInterval = Duration.seconds(1)

/** Number of events that a follower reads at a time. */
export const pageSize = 500

/** A place in the event log of an organization. */
export interface Place {
  readonly organization: OrganizationId
  /** The `sequence` of the last event that the reader has. @defaultValue 0 */
  readonly after?: number | undefined
}

export interface NextEvents {
  readonly events: ReadonlyArray<LoggedEvent>
  /**
   * The place after them. If the given place is beyond the newest event, this is the place of the newest event. A
   * restore has then removed events, and others will have their sequences.
   */
  readonly after: number
}

export class EventLog extends Context.Service<
  EventLog,
  {
    /**
     * Returns events with a `sequence` above `after`, in order. `first` and `last` are the sequences of the oldest
     * and the newest stored event. Retention has dropped the events between `after` and `first`.
     */
    readonly list: (query: Place & { readonly limit?: number | undefined }) => HostEffect<EventPage>
    /** The next events after a place, at most 500. Waits for one, at most a second, and may return none. */
    readonly next: (place: Place) => HostEffect<NextEvents>
    /**
     * Every event after a place, and then the events of all nodes as they come. Never ends by itself. Fails if the
     * store is unavailable for more than a few seconds; follow again after the last event that you have processed.
     */
    readonly follow: (
      place: Place,
    ) => Stream.Stream<LoggedEvent, OrganizationNotFound | StoreUnavailable>
  }
>()("@countersign/core/services/EventLog") {}

const make = Effect.gen(function* () {
  const store = yield* Store
  const { stream } = yield* Events

  const page = (organization: OrganizationId, after: number, limit: number) =>
    Effect.flatMap(store.events(organization, after, limit), (found) =>
      found === undefined ? Effect.fail(new OrganizationNotFound()) : Effect.succeed(found),
    )

  const next: EventLog["Service"]["next"] = Effect.fnUntraced(function* ({
    after = 0,
    organization,
  }) {
    const read = Effect.map(
      retryUnavailable(page(organization, after, pageSize)),
      ({ events, last }): NextEvents => ({
        events,
        after: events.at(-1)?.sequence ?? Math.min(after, last),
      }),
    )
    // Listens before the read, so that no commit of this process falls between.
    const committed = yield* stream.pipe(
      Stream.filter((event) => "organization" in event && event.organization === organization),
      Stream.runHead,
      Effect.forkScoped({ startImmediately: true }),
    )
    const found = yield* read
    if (found.events.length > 0 || found.after < after) return found
    yield* Effect.timeoutOption(Fiber.await(committed), pollInterval)
    return yield* read
  }, Effect.scoped)

  return EventLog.of({
    list: Effect.fn("EventLog.list")(({ after = 0, limit, organization }) =>
      page(organization, after, pageLimit(limit)),
    ),
    next,
    follow: ({ after: start = 0, organization }) =>
      Stream.paginate(start, (place) =>
        Effect.map(next({ organization, after: place }), ({ after, events }) => [
          events,
          Option.some(after),
        ]),
      ),
  })
})

export const layer = Layer.effect(EventLog, make)
