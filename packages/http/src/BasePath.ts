/** A path with a slash before it and none behind it; empty for the root. */
export const rooted = (path: string): "" | `/${string}` => {
  const bare = path.replace(/^\/+|\/+$/g, "")
  return bare === "" ? "" : `/${bare}`
}
