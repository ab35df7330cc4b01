/**
 * The path below which a mount serves.
 */

/** A path with a slash before it and none behind it; empty for the root. */
export const rooted = (path: string): "" | `/${string}` => {
  const bare = path.replace(/^\/+|\/+$/g, "")
  return bare === "" ? "" : `/${bare}`
}

/** The part of a target, which is a path and a query, below a rooted path. `undefined`: the target is not below it. */
export const below = (base: string, target: string): string | undefined => {
  if (!target.startsWith(base)) return undefined
  const rest = target.slice(base.length)
  return rest === "" || rest.startsWith("/") || rest.startsWith("?") ? rest : undefined
}
