/**
 * Paths into JSON: `data.items[0].status`.
 */

const form = /^[^.[\]]+(?:\.[^.[\]]+|\[\d{1,6}\])*$/

/** Whether a text is a path. */
export const isPath = (text: string): boolean => form.test(text)

/** Returns the value at a path of a JSON value; `undefined` if the path has no value. */
export const at = (value: unknown, path: string): unknown =>
  path.split(/\.|\[(\d+)\]/).reduce<unknown>((inner, key) => {
    if (key === undefined || key === "") return inner
    return typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
      ? Reflect.get(inner, key)
      : undefined
  }, value)
