/** The organizations that the reader saw last, in this browser. */
import { readStored, writeStored } from "../stored.ts"

const maxRecent = 5

export const recentOrganizations = (): ReadonlyArray<string> =>
  (readStored("recent") ?? "").split(",").filter((id) => id !== "")

/** An id has no comma. */
export const rememberOrganization = (id: string): void => {
  writeStored("organization", id)
  const others = recentOrganizations().filter((other) => other !== id)
  writeStored("recent", [id, ...others].slice(0, maxRecent).join(","))
}
