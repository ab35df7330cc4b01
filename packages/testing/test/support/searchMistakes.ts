import { firstMessage } from "@countersign/core/domain/verifications/Verification"
import * as Effect from "effect/Effect"
import type { Mistake } from "./directoryMistakes.ts"

/** Mistakes with searches. */
export const searchMistakes: ReadonlyArray<Mistake> = [
  [
    "finds the message at the edge of a page twice",
    (store) => ({
      searchMessages: (id, { before, ...search }) =>
        store.searchMessages(id, {
          ...search,
          before: before === undefined ? undefined : before + 1,
        }),
    }),
  ],
  [
    "ends a search with a page that is not full",
    (store) => ({
      searchMessages: (id, search) =>
        Effect.map(store.searchMessages(id, search), (page) =>
          page === undefined || page.rows.length === search.limit
            ? page
            : { ...page, next: undefined },
        ),
    }),
  ],
  [
    "examines the whole log for one page",
    (store) => ({
      searchMessages: (id, search) => store.searchMessages(id, { ...search, examine: 1_000_000 }),
    }),
  ],
  [
    "counts the messages to other numbers as examined",
    (store) => ({
      searchMessages: (id, { phoneNumber, ...search }) =>
        Effect.map(
          store.searchMessages(id, { ...search, phoneNumber: undefined }),
          (page) =>
            page && {
              ...page,
              rows: page.rows.filter(
                (row) => phoneNumber === undefined || row.phoneNumber === phoneNumber,
              ),
            },
        ),
    }),
  ],
  [
    "finds requests without the end of a range",
    (store) => ({
      searchVerifications: (id, search) =>
        store.searchVerifications(id, {
          ...search,
          to: search.to === undefined ? undefined : search.to - 1,
        }),
    }),
  ],
  [
    "finds no request whose code was sent again",
    (store) => ({
      searchVerifications: (id, search) =>
        Effect.map(
          store.searchVerifications(id, search),
          (page) =>
            page && {
              ...page,
              rows: page.rows.filter((row) => firstMessage(row) === row.messageSequence),
            },
        ),
    }),
  ],
]
