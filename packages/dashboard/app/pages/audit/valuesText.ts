import type { AuditRecord } from "../../api/types.ts"

/** Fields that are epoch milliseconds. */
const isTime = (name: string): boolean => name.endsWith("At") || name === "until"

/** The fields of a changed thing as JSON, with its times as people read them. */
export const valuesText = (
  values: NonNullable<AuditRecord["before"]>,
  time: (iso: string) => string,
): string =>
  JSON.stringify(
    values,
    (name, value: unknown) =>
      isTime(name) && typeof value === "number" && Math.abs(value) <= 8.64e15
        ? time(new Date(value).toISOString())
        : value,
    2,
  )
