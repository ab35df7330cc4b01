/**
 * Bounds the size of maps and sets, which keep the order of insertion.
 */

/** Removes the oldest entries beyond the maximum. */
export const dropOldest = <K>(
  entries: Pick<Map<K, unknown>, "size" | "keys" | "delete">,
  max: number,
): void => {
  for (const oldest of entries.keys()) {
    if (entries.size <= max) return
    entries.delete(oldest)
  }
}
